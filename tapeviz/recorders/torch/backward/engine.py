"""Runs of autograd's engine -> their beginning, their steps, their end, and the gradients they left behind."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import compress
from types import FrameType
from typing import Any, NamedTuple

import torch
from torch._C import _functorch as functorch
from torch._functorch import eager_transforms

from tapeviz.events.collector_paused import collector_paused
from tapeviz.events.program.frames import PACKAGE_FILES, outward, users_frame
from tapeviz.events.types import Pruned
from tapeviz.recorders.hooks import When
from tapeviz.recorders.keras import is_trainer
from tapeviz.recorders.local_names import named_in
from tapeviz.recorders.naming import give_name
from tapeviz.recorders.patches import Row
from tapeviz.recorders.runs import LoggedRun
from tapeviz.recorders.torch.backward.gathered import GatheredLeaves
from tapeviz.recorders.torch.backward.nodes import counter
from tapeviz.recorders.torch.backward.other_leaves import OtherLeaves
from tapeviz.recorders.torch.backward.planned import PassPlans, PlannedSweep
from tapeviz.recorders.torch.backward.reach import Reach
from tapeviz.recorders.torch.backward.stored import GradientHolder, StoredGradients
from tapeviz.recorders.torch.backward.sweep import Sweep
from tapeviz.recorders.torch.compiled.switch import uncompiled
from tapeviz.recorders.torch.grad_attribute import GradAttribute, grad_of
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.stack import with_modes, without_modes
from tapeviz.recorders.torch.values import spec_of


class _Request(NamedTuple):
    """The arguments of PyTorch's own function that runs the engine; `rows` counts the rows of a Jacobian."""

    outputs: Any
    seeds: Any
    retain: bool
    create: bool
    inputs: Any
    accumulate: bool
    rows: int | None


class Engine:
    """`backward`, `autograd.backward` and `autograd.grad` all come here."""

    def __init__(self, session: Session, mode: FunctionMode, gradients: GradAttribute) -> None:
        self._session = session
        self._mode = mode
        self._gradients = gradients
        self._stored = StoredGradients(session, gradients)
        self._plans = PassPlans(session)
        self._running = False
        self._last_release = counter()  # the number of the next node when nodes have let go of what they saved
        self._gives_zeros = False  # in the place of None, as `torch.func` does by itself

    def rows(self) -> tuple[Row, ...]:
        """Hooks at the function that starts the engine, and at that of `torch.func`, which may not start it."""
        idle = When(lambda: not self._running and self._mode.is_recording)
        return (
            idle.instead(torch.autograd, "_engine_run_backward", self._run_backward),
            idle.instead(eager_transforms, "_autograd_grad", self._pull),
        )

    def _pull(self, pull: Any, outputs: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """If no result of a function requires a gradient, `torch.func` returns zeros and does not start the engine."""
        if not any(each.requires_grad for each in outputs):
            session = self._session
            ends = tuple(map(session.ledger.id_of, outputs)), tuple(map(session.ledger.id_of, inputs))
            run, none = LoggedRun(session.log, session.tape), (None,) * len(ends[1])
            run.begin(*ends, tuple(map(spec_of, outputs)), session.place())
            run.end(none, none, zeros=True)
        self._gives_zeros = True
        try:
            return pull(outputs, inputs, *args, **kwargs)
        finally:
            self._gives_zeros = False

    def _run_backward(
        self, run: Any, outputs: Any, seeds: Any, retain: bool, create: bool, inputs: Any, *args: Any, **kwargs: Any
    ) -> Any:
        with uncompiled() as as_before, self._mode.unrecorded(), self._session.nodes.standing():
            call = partial(as_before(run), outputs, seeds, retain, create, inputs, *args, **kwargs)
            caller = users_frame(1)
            rows = _rows(caller) or _more_rows(outputs, seeds)
            if _wants_zeros(caller):
                call = partial(_with_zeros, call, inputs, create)
            request = _Request(outputs, seeds, retain, create, inputs, kwargs.get("accumulate_grad", False), rows)
            self._session.passes += 1
            self._name_target(outputs)
            return without_modes(collector_paused(self._run))(with_modes(call), request)

    def _run(self, call: Any, request: _Request) -> Any:
        session, inputs = self._session, request.inputs
        pairs = zip(request.outputs, request.seeds, strict=True)
        ends = [(raw_id, seed) for each, seed in pairs if (raw_id := self._id_of(each))]
        targets = tuple([raw_id for raw_id, _ in ends])
        sweep = self._sweep(request)
        asked = [(each, raw_id) for each in inputs or sweep.leaves() if (raw_id := self._id_of(each))]
        sources = [
            each if isinstance(each, torch.Tensor) else getattr(each.node, "variable", None) for each, _ in asked
        ]
        gathered = GatheredLeaves(session, sources if request.accumulate else ())
        ends_of = zip(sources, (raw_id for _, raw_id in asked), strict=True)
        owned = [own for each, raw_id in ends_of for own in gathered.own(each, raw_id)]
        ids = tuple([raw_id for _, raw_id in owned])
        leaves = [GradientHolder(each, raw_id, grad_of(each)) for each, raw_id in owned if request.accumulate]
        for leaf in leaves:
            session.values.about_to_change(leaf.before)
        reached = [*sources, *(each for each, _ in owned)]
        beside = OtherLeaves(session, sweep.runs_functions, reached) if request.accumulate else None
        values = tuple([sweep.kept(seed) for _, seed in ends])
        session.ledger.unwatch_gone()
        session.lent.ahead_of_backward()
        sweep.run.begin(targets, ids, values, session.place(), request.rows, request.create)
        begin = session.log.end
        if isinstance(sweep, Sweep):
            sweep.beyond = gathered.results()
        results = self._run_noted(call, request, sweep)
        sweep.finish()
        if isinstance(sweep, Sweep):  # a planned one is of no gathered leaves
            gathered.pull(sweep, leaves)
            if sweep.to_learn is not None:
                self._plans.learn(request.outputs, sweep.to_learn, sweep.run.id, begin)
        if beside is not None:
            self._stored.note(sweep, leaves)
            beside.note(sweep.run.id, sweep.kept, self._gradients)
        elif isinstance(sweep, Sweep):  # a planned one is of no inputs
            known = [self._id_of(each) is not None for each in inputs]
            self._returned(sweep, ids, list(compress(results, known)))
        if not request.retain:
            session.log.append(Pruned, (session.tape,))
        return results

    def _sweep(self, request: _Request) -> Sweep | PlannedSweep:
        """What is to note the steps of a run."""
        session, (outputs, inputs) = self._session, (request.outputs, request.inputs)
        is_whole = request.accumulate and not (inputs or request.create)
        found = self._plans.sweep(outputs, self._last_release, request.retain) if is_whole else None
        if isinstance(found, PlannedSweep):
            return found
        sweep = Sweep(session, Reach(session, outputs, inputs), recorded=request.create, retained=request.retain)
        sweep.to_learn = found
        return sweep

    def _run_noted(self, call: Callable[[], Any], request: _Request, sweep: Sweep | PlannedSweep) -> Any:
        """What the engine gives, while the sweep notes its steps."""
        self._running = True
        sweep.hook()
        if not request.retain:
            self._last_release = counter()
        try:
            results = call()
        except Exception as error:
            sweep.failed(error)
            self._session.fail(error)
            raise
        finally:
            sweep.unhook()
            self._running = False
        return results

    def _name_target(self, outputs: Any) -> None:
        """If Keras' own training step takes the gradient, the target gets the name of its variable."""
        step = next((each for each in outward(users_frame(1)) if not _is_torchs(each)), None)
        if step is not None and is_trainer(step.f_code.co_filename):
            for each in outputs:
                raw_id, name = self._id_of(each), named_in(step, each)
                if raw_id is not None and name is not None:
                    give_name(self._session.log, raw_id, name)

    def _id_of(self, end: Any) -> int | None:
        """The raw id of a tensor, or of the tensor at an edge of the graph; None if it is inside an op."""
        session = self._session
        if isinstance(end, torch.Tensor):
            return session.ledger.id_of(end)
        return session.nodes.tensor_of((end.node, end.output_nr), session.nodes.op_of(end.node))

    def _returned(self, sweep: Sweep, ids: tuple[int, ...], results: Any) -> None:
        """End a run of `autograd.grad`, which returns the gradients."""
        session = self._session
        for tensor, result in zip(ids, results, strict=True):
            if result is not None:
                sweep.sum_up(tensor, result)
        raw_ids = tuple([None if each is None else session.ledger.result_id(each) for each in results])
        values = tuple([None if each is None else sweep.kept(each) for each in results])
        sweep.run.end(raw_ids, values, zeros=self._gives_zeros)


def _is_torchs(frame: FrameType) -> bool:
    is_ours = frame.f_code.co_filename in PACKAGE_FILES
    return is_ours or str(frame.f_globals.get("__name__")).partition(".")[0] == torch.__name__


def _wants_zeros(caller: FrameType) -> bool:
    """Whether the caller is `autograd.grad`, and returns zeros in place of None."""
    return caller.f_code is torch.autograd.grad.__code__ and bool(caller.f_locals["materialize_grads"])


def _rows(caller: FrameType | None) -> int | None:
    """The number of seeds in the batch that `autograd.grad` was given for a Jacobian; None if it was given one seed."""
    for frame in outward(caller):
        if not str(frame.f_globals.get("__name__")).startswith("torch."):
            break
        if frame.f_globals is vars(torch._vmap_internals) and "batch_size" in frame.f_locals:
            return int(frame.f_locals["batch_size"])
    return None


def _more_rows(outputs: Any, seeds: Any) -> int | None:
    """The number of seeds if `torch.func` maps over seeds and not over outputs, as for a Jacobian; else None."""
    mapped, over = (_mapped(each[0]) if each else {} for each in (seeds, outputs))
    return math.prod(size for level, size in mapped.items() if level not in over) if mapped.keys() - over else None


def _mapped(tensor: Any) -> dict[int, int]:
    """The levels of `torch.func.vmap` by which a tensor is mapped, and the number of rows of each."""
    levels: dict[int, int] = {}
    while isinstance(tensor, torch.Tensor) and functorch.is_functorch_wrapped_tensor(tensor):
        inner = functorch.get_unwrapped(tensor)
        if functorch.is_batchedtensor(tensor):
            levels[functorch.maybe_get_level(tensor)] = inner.shape[functorch.maybe_get_bdim(tensor)]
        tensor = inner
    return levels


def _with_zeros(call: Callable[[], Any], inputs: Any, create: bool) -> Any:
    """The results of a run with zeros in place of None, made here as in `autograd.grad`, so that they are logged."""
    followed = create or torch.__version__ < "2.10"  # which made them so in any case
    return tuple(
        torch.zeros_like(each, requires_grad=followed) if result is None and isinstance(each, torch.Tensor) else result
        for each, result in zip(inputs, call(), strict=True)
    )
