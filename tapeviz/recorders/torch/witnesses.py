"""Calls of a user's own function -> the gradient that autograd has for what it computed, beside the user's own.

It is taken at the first gradient of each line that calls the function: what the function called is called once more, on
copies, and at inputs a few roundings away, so that a reader knows where the gradient is not sure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import zip_longest
from typing import Any
from weakref import WeakValueDictionary

import torch
from torch._C import _functorch as functorch
from torch._C import _is_any_autocast_enabled as is_any_autocast_enabled

from tapeviz.events.catalog import of_kind
from tapeviz.events.types import VjpWitnessed
from tapeviz.recorders.hooks import When
from tapeviz.recorders.patches import Row
from tapeviz.recorders.torch.backward.sequence_numbers import LoggedOp
from tapeviz.recorders.torch.saved_hooks import has_saved_hooks
from tapeviz.recorders.torch.tape_session import TapeSession
from tapeviz.recorders.torch.tensors import Tensors
from tapeviz.recorders.torch.transcript import Transcript, Unrepeatable, is_plain, standing
from tapeviz.recorders.torch.values import held, node_of

MOST_TRIES = 3
"""How often a line's call is prepared whose gradient nobody takes."""
ROUNDINGS = 4
"""How far the inputs nearby are."""
AGREES = 64
"""By how many roundings what is computed again may differ."""
_EXTREMES = of_kind("entry_extreme") | {"max", "min"}
"""Ops that choose an entry. What is subtracted from all of them, against overflow, has no part in the gradient."""

_modes = torch._C._len_torch_dispatch_stack


class Witness:
    """One call, computed again: what is to be differentiated, at its inputs and nearby."""

    def __init__(self, names: tuple[str, ...], transcript: Transcript) -> None:
        self.key: Any = None
        self.names = names
        self._ran, self._narrowest = transcript.ran, transcript.narrowest
        self._computed: list[tuple[list[Any], list[Any]]] = []
        self._upstream: list[Any] | None = None
        self._drew: Draws | None = None  # that `forward` drew random numbers: then whether the rule does, too
        self._redrew = False
        self._rule: tuple[LoggedOp, list[int | None], list[Any]] | None = None
        self._is_differentiated_again = False

    def compute(self, transcript: Transcript, out: Any, draws: Draws) -> None:
        """Compute all again, as drawn since `draws`; an `Unrepeatable` is raised where the results are others."""
        self._drew = draws if draws.happened() else None
        slots = transcript.close(out)
        with _autograd_alone(transcript.inputs):
            ways = [(False, frozenset[str]()), (True, frozenset[str]())]
            if not _EXTREMES.isdisjoint(self._ran):
                ways.append((False, _EXTREMES))
            for near, constants in ways:
                leaves = [_leaf(each, at if near else None) for at, each in enumerate(transcript.inputs)]
                copies = [each.clone() if each.requires_grad else each for each in leaves]  # to be written into
                draws.rewind()
                found = transcript.replay(copies, constants)
                results = [None if at is None else found[at] for at in slots]
                if not near and not all(map(agree, results, out if isinstance(out, tuple) else (out,))):
                    raise Unrepeatable
                self._computed.append((leaves, results))
        transcript.spoil()

    def note_upstream(self, upstream: tuple[Any, ...]) -> None:
        """The user's rule is about to be called with these: copies, as it may write into them."""
        if all(each is None or is_plain(each) for each in upstream):
            self._upstream = [None if each is None else each.detach().clone() for each in upstream]
            self._drew = self._drew and Draws()

    def note_rewind(self) -> None:
        """The state of random numbers is about to be set, as at the end of `fork_rng`: later it does not show draws."""
        if self._upstream is not None and self._rule is None and self._drew is not None:
            self._redrew = self._redrew or self._drew.happened()

    def note_rule(self, op: LoggedOp, slots: list[int | None], sent: tuple[Any, ...], _: Any) -> None:
        """The user's rule has given these."""
        self._redrew = self._redrew or (self._drew is not None and self._drew.happened())
        if self._upstream is not None and all(each is None or is_plain(each) for each in sent):
            copies = [None if each is None else each.detach().clone() for each in sent]
            self._rule = op, slots, copies
            self._is_differentiated_again = torch.is_grad_enabled()  # it is off but for a pass with `create_graph`

    def testify(self, session: TapeSession) -> bool:
        """Log both; whether that was possible."""
        if self._upstream is None or self._rule is None or not self._computed:
            return False
        op, slots, rule = self._rule
        again = self._is_differentiated_again
        with _autograd_alone(rule):
            witness, nearby, *by_constants = (self._gradients(*each, again) for each in self._computed)
            bends = _bends(self._computed[0][0], witness) if again else ()
        is_smooth = any(all(map(_agree_if_any, each, witness)) for each in by_constants)
        ran = tuple([each for each in self._ran if not (is_smooth and each in _EXTREMES)])
        bent = [False] * len(op.inputs) if bends else []
        gradients = [[None] * len(op.inputs), [None] * len(op.inputs), [None] * len(op.inputs)]
        names = [""] * len(op.inputs)
        for at, slot in enumerate(slots):
            if slot is not None and at < len(witness):
                names[slot] = self.names[at]
                for row, each in zip(gradients, (rule, witness, nearby), strict=True):
                    row[slot] = _kept(session, each[at])
                if bends:
                    bent[slot] = bends[at]
        values = (tuple([_kept(session, each) for each in self._upstream]), *map(tuple, gradients))
        about = tuple(names), ran, self._narrowest, self._redrew, tuple(bent)
        session.log.append(VjpWitnessed, None, op.outputs, values, about)
        return True

    def _gradients(self, leaves: list[Any], results: list[Any], create_graph: bool) -> list[Any]:
        pairs = [
            (result, upstream)
            for result, upstream in zip(results, self._upstream or (), strict=False)
            if result is not None and upstream is not None and result.requires_grad
        ]
        if not pairs or not any(each.requires_grad for each in leaves):
            return [None] * len(leaves)
        ends, seeds = zip(*pairs, strict=True)
        return _pulled_back(ends, seeds, leaves, create_graph)


class Witnesses:
    """Those that wait for a gradient, by the number of the node that it comes through: they live as long as that."""

    def __init__(self, session: TapeSession, tensors: Tensors) -> None:
        self._session = session
        self._tensors = tensors
        self.waiting: WeakValueDictionary[int, Witness] = WeakValueDictionary()
        self._prepared: WeakValueDictionary[Any, Witness] = WeakValueDictionary()
        self._tries: Counter[Any] = Counter()

    def rows(self) -> tuple[Row, ...]:
        """A hook at the function that sets the state of random numbers, by both of its names."""
        waits = When(lambda: bool(self.waiting))
        return tuple([waits.before(owner, "set_rng_state", self._rewinding) for owner in (torch, torch.random)])

    def _rewinding(self, *_: Any) -> None:
        for each in list(self.waiting.values()):
            each.note_rewind()

    def transcript(self, cls: Any, args: tuple[Any, ...]) -> Transcript | None:
        """What the call of a function is to be noted in; None where it is not."""
        key = self._key(cls)
        if not self._session.log.keeps_values or key in self._prepared or self._tries[key] >= MOST_TRIES:
            return None
        wants = any(isinstance(each, torch.Tensor) and each.requires_grad for each in args)
        if not wants or not torch.is_grad_enabled() or not is_simple():
            return None
        self._tries[key] += 1
        there = {id(each): each for each in standing(*args, cls)}
        known = self._tensors
        transcript = Transcript(
            args, lambda each: id(each) in there or each.requires_grad or known.get(each) is not None
        )
        return None if transcript.is_spoilt else transcript

    def prepare(
        self,
        cls: Any,
        args: tuple[Any, ...],
        out: Any,
        transcript: Transcript,
        draws: Draws,
        arguments: tuple[str, ...],
    ) -> None:
        """The call was made: compute it again if that is possible, and wait for its gradient."""
        node = next((found for each in (out if isinstance(out, tuple) else (out,)) if (found := node_of(each))), None)
        if transcript.is_spoilt or node is None or not is_simple():
            return
        named = zip_longest(args, arguments[: len(args)], fillvalue="")
        names = tuple([name for each, name in named if isinstance(each, torch.Tensor)])
        witness = Witness(names, transcript)
        try:
            witness.compute(transcript, out, draws)
        except Exception:  # whatever PyTorch cannot differentiate, or compute twice
            return
        witness.key = self._key(cls)
        self._prepared[witness.key] = self.waiting[node._sequence_nr()] = witness
        node.metadata[f"tapeviz witness {id(self)}"] = witness

    def testify(self, witness: Witness) -> None:
        """A pass has ended that went through the node of a witness."""
        self.waiting.pop(next((at for at, each in self.waiting.items() if each is witness), -1), None)
        self._prepared.pop(witness.key, None)
        try:
            if witness.testify(self._session):
                self._tries[witness.key] = MOST_TRIES
        except Exception:  # as where a graph cannot be differentiated after all
            return

    def _key(self, cls: Any) -> Any:
        frame = self._session.frame(1)
        return cls, frame.f_code, frame.f_lasti


class Draws:
    """Whether random numbers were drawn since it was made."""

    def __init__(self) -> None:
        self._before = _states()

    def happened(self) -> bool:
        return any(not torch.equal(one, other) for one, other in zip(self._before, _states(), strict=False))

    def rewind(self) -> None:
        """What was drawn since is drawn again next."""
        if self.happened():
            for generator, state in zip(_generators(), self._before, strict=False):
                generator.set_state(state)


def _generators() -> list[Any]:
    on_gpus = torch.cuda.default_generators if _has_gpus() else ()
    return [torch.default_generator, *on_gpus]


def _states() -> list[Any]:
    return [each.get_state() for each in _generators()]


def _has_gpus() -> bool:
    return bool(torch.cuda.is_initialized())  # type: ignore[no-untyped-call]


def is_simple() -> bool:
    """Whether nothing else looks at what is computed: no mode, transform, compiler, or hook on what is saved."""
    capturing = _has_gpus() and torch.cuda.is_current_stream_capturing()
    looked_at = _modes() or functorch.peek_interpreter_stack() is not None or torch.compiler.is_compiling()
    return not (looked_at or capturing or torch.is_inference_mode_enabled() or has_saved_hooks())


@contextmanager
def _autograd_alone(tensors: list[Any]) -> Iterator[None]:
    """A block with autograd and nothing else: no mode, no autocast; what it draws counts as not drawn."""
    draws = Draws()
    with ExitStack() as around:
        around.callback(draws.rewind)
        around.enter_context(torch._C.DisableTorchFunction())
        around.enter_context(torch.enable_grad())
        if is_any_autocast_enabled():
            for kind in {each.device.type for each in tensors if each is not None}:
                around.enter_context(torch.autocast(kind, enabled=False))
        yield


def _leaf(tensor: Any, number: int | None) -> Any:
    """A copy of an input, as a leaf if it has a gradient; with a `number` it is a few roundings away."""
    copy = tensor.detach().clone()
    if not (copy.dtype.is_floating_point or copy.dtype.is_complex):
        return copy
    if number is not None and copy.numel():
        counted = torch.arange(copy.numel(), dtype=torch.float64, device=copy.device).reshape(copy.shape)
        apart = torch.sin(counted * 12.9898 + number * 78.233)  # as good as random, and the same at each run
        sizes = copy.abs() + copy.abs().mean() / 64
        copy += (ROUNDINGS * torch.finfo(copy.dtype).eps * sizes * apart).to(copy.dtype)
    return copy.requires_grad_(tensor.requires_grad)


def agree(one: Any, other: Any) -> bool:
    """Whether a result computed again is the one that the function gave."""
    if one is None or not (other.dtype.is_floating_point or other.dtype.is_complex):
        return True
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    rounding = AGREES * torch.finfo(other.dtype).eps
    other = other.detach()
    finite = other[other.isfinite()].abs()
    least = rounding * float(finite.max()) if finite.numel() else 0.0
    return torch.allclose(one.detach(), other, rtol=rounding, atol=least, equal_nan=True)


def _agree_if_any(one: Any, other: Any) -> bool:
    """The same of two gradients, each of which may be missing."""
    return one is other or (one is not None and other is not None and agree(one, other))


def _pulled_back(ends: Sequence[Any], seeds: Sequence[Any], leaves: list[Any], create_graph: bool = False) -> list[Any]:
    """The gradient of every leaf that has one."""
    # `autograd.grad` imports PyTorch's symbolic shapes to compare those of seeds, which takes seconds.
    run = torch.autograd.Variable._execution_engine.run_backward
    wanted = tuple([each for each in leaves if each.requires_grad])
    found = run(
        tuple(ends), tuple(seeds), create_graph, create_graph, wanted, allow_unreachable=True, accumulate_grad=False
    )
    gradients = iter(found)
    return [next(gradients) if each.requires_grad else None for each in leaves]


def _bends(leaves: list[Any], gradients: list[Any]) -> list[bool]:
    """Whether any of the gradients changes with a leaf, for every leaf."""
    ends = [each for each in gradients if each is not None and each.requires_grad]
    if not ends:
        return [False] * len(leaves)
    seeds = [
        torch.sin(torch.arange(each.numel(), device=each.device) + 1.0).reshape(each.shape).to(each) for each in ends
    ]
    return [each is not None and bool(each.any()) for each in _pulled_back(ends, seeds, leaves)]


def _kept(session: TapeSession, tensor: Any) -> Any:
    """What the log stores of a gradient of its own."""
    return None if tensor is None else session.log.keep(held(tensor.detach()))
