"""A compiled function that runs -> one op for each of its graphs, with the tensors at the border."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from types import FrameType
from typing import Any, NamedTuple

import torch

from tapeviz.events.catalog import GRAPH
from tapeviz.events.program.frames import outward, scope_called
from tapeviz.events.raw import next_id
from tapeviz.events.types import CompiledWithout, GraphTraced, NodeTraced, StateWritten
from tapeviz.phrases import BETWEEN_GRAPHS, COMPILED, RESUMED
from tapeviz.recorders.runs import one_or_all
from tapeviz.recorders.torch.backward.nodes import counter
from tapeviz.recorders.torch.compiled.deferred import DeferredCall
from tapeviz.recorders.torch.compiled.graphs import CompiledGraph
from tapeviz.recorders.torch.compiled.hooks import ModuleHook
from tapeviz.recorders.torch.compiled.inside import Recording, RepeatedCall, can_compute_again
from tapeviz.recorders.torch.compiled.nodes import files_of
from tapeviz.recorders.torch.compiled.side_recording import SideRecording
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.stack import unseen
from tapeviz.recorders.torch.values import is_made_since, kept, node_of, tensors_in

_RESUMED = re.compile(r"torch_dynamo_resume_in_(.+)_at_(\d+)")
"""The name of what goes on after a break between two graphs: of the function, and the line of the break."""


_MOST = 0.5
"""The part of a log's budget that may go to what one call is to be computed from: else nothing else is kept."""


class _Apart(NamedTuple):
    """A result that autograd does not follow by right: nothing of what it is computed from wants a gradient."""

    result: torch.Tensor
    read: tuple[int, ...]


class RunningFunction:
    """One call of a compiled function, in the user's frame `caller`; `times` counts how often each was compiled."""

    def __init__(
        self,
        session: Session,
        name: str,
        hooks: frozenset[ModuleHook],
        caller: FrameType,
        times: Counter[str],
        recording: Recording,
        side: SideRecording,
    ) -> None:
        self._session = session
        self._name = name
        self._hooks = hooks
        self._caller = caller
        self._times = times
        self._recording = recording
        self._side = side
        self._leaves: dict[int, tuple[Any, int | None]] = {}

    def run(self, graph: CompiledGraph, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Run a graph; an op with what it gives, and with what it changes in place."""
        operands = tensors_in(args)
        with unseen():
            inputs = tuple([self._id_of(each) for each in operands])
            inside = self._repetition(graph, args)
        versions = list(map(_version, operands))
        start = counter()
        try:
            out = function(*args)
        except Exception as error:
            self._session.fail(error)
            raise
        with unseen():
            if graph.number is None:
                self._tell(graph)
            self._tell_of_hooks(graph)
            self._leaves.update({id(each): (each, _version(each)) for each in operands if each.is_leaf})
            changed = [each for each, before in zip(operands, versions, strict=True) if _version(each) != before]
            graph.changes = frozenset(at for at, each in enumerate(args) if any(each is other for other in changed))
            if type(inside) is RepeatedCall and inside.compute(out, changed, start, self._caller, self._recording):
                return out
            begin = self._session.log.end
            apart = list(self._apart(graph, args, out, start))
            others = {id(each.result) for each in apart}
            self._log(graph, start, inputs, [each for each in tensors_in(out) if id(each) not in others], changed)
            for each in apart:
                self._log_apart(graph, each)
            if type(inside) is DeferredCall:
                inside.ran(args, out, changed, start, self._caller, begin)
        return out

    def _repetition(self, graph: CompiledGraph, args: tuple[Any, ...]) -> RepeatedCall | DeferredCall | None:
        """What computes a call of a graph again: when a reader asks, if the log keeps what that needs, or at once."""
        if not can_compute_again(graph, args):
            return None
        log = self._session.log
        needed = sum(each.nbytes for each in args if isinstance(each, torch.Tensor))
        can_wait = log.keeps_values and not log.keeps_norms and needed <= _MOST * log.max_bytes
        if not can_wait or any(map(_holds_tensors, args)):
            return RepeatedCall(self._session, graph, args)
        return DeferredCall(self._session, self._side, graph, args)

    def finish(self) -> None:
        """It has returned: what it has changed between its graphs, as an optimizer does, has new values."""
        with unseen():
            left = [each for each, version in self._leaves.values() if _version(each) != version]
            self._written(left, f"{self._name}{COMPILED}")

    def _id_of(self, tensor: Any) -> int:
        """The raw id of what goes into a graph; between two graphs, ops run that are known by their nodes alone."""
        if self._session.tensors.get(tensor) is None and node_of(tensor) is not None:
            self._session.nodes.adopt_call(f"{self._name}{BETWEEN_GRAPHS}", [tensor], (), self._caller)
        return self._session.ledger.id_of(tensor)

    def _tell(self, graph: CompiledGraph) -> None:
        """A graph runs for the first time: tell what is inside."""
        resumed = (_RESUMED.fullmatch(frame.f_code.co_name) for frame in outward(sys._getframe(2)))
        after = next((f"{RESUMED}{found[2]} on" for found in resumed if found is not None), "")
        graph.function, graph.number = f"{self._name}{after}", next_id()
        log, call = self._session.log, (self._caller.f_code, self._caller.f_lasti)
        about = graph.function, graph.number, self._times[graph.function], graph.unknown
        self._times[graph.function] += 1
        log.append(GraphTraced, None, None, None, about, *call, log.scope)
        if graph.module is not None:
            log.filenames.update(files_of(graph.module))
        inside = scope_called(graph.op, log.scope, self._caller)
        for *node, code in () if graph.traced is None else graph.traced.nodes:
            place = call if code is None else (code, -1)  # of PyTorch's own modules the compiler tells no line
            log.append(NodeTraced, None, None, None, (graph.number, *node), *place, inside)

    def _tell_of_hooks(self, graph: CompiledGraph) -> None:
        """Modules may have hooks that they had not when the graph was compiled."""
        for each in sorted(self._hooks - graph.hooks) if graph.hooks is not None else ():
            about = self._name, each.kind, each.module
            log, call = self._session.log, (self._caller.f_code, self._caller.f_lasti)
            log.append(CompiledWithout, None, None, None, about, *call, log.scope)
        graph.hooks = None if graph.hooks is None else graph.hooks | self._hooks

    def _log(
        self, graph: CompiledGraph, start: int, inputs: tuple[int, ...], results: list[Any], changed: list[Any]
    ) -> None:
        """The op: what it gives anew, and what autograd follows of what it has changed."""
        session = self._session
        followed = {id(each): each for each in (*results, *changed) if is_made_since(each, start)}
        fresh = {id(each): each for each in results if session.tensors.get(each) is None}
        made = list({**fresh, **followed}.values())
        if made:
            ids = one_or_all(tuple([session.tensors.add(each) for each in made]))
            if followed:
                session.nodes.add(start, counter(), inputs, ids)
                for each in made:
                    session.nodes.note_output(each, session.ledger.id_of(each))
            self._op(graph, inputs, ids, made, session.tapes if followed else ())
        self._written((each for each in changed if id(each) not in followed), graph.op)

    def _op(
        self, graph: CompiledGraph, inputs: tuple[int, ...], ids: Any, results: list[Any], tapes: tuple[int, ...]
    ) -> None:
        log, code, lasti = self._session.log, self._caller.f_code, self._caller.f_lasti
        values = one_or_all(tuple([kept(log, each) for each in results]))
        log.raw += (graph.op, inputs, ids, values, ((GRAPH, graph.number),), (), tapes, log.scope, code, lasti)

    def _written(self, changed: Iterable[Any], how: str) -> None:
        """Tensors of the program's have new values."""
        session, log, caller = self._session, self._session.log, self._caller
        for each in changed:
            raw_id = session.ledger.id_of(each)
            held = session.values.hold(each, raw_id)
            log.append(StateWritten, None, raw_id, held, how, caller.f_code, caller.f_lasti, log.scope)

    def _apart(self, graph: CompiledGraph, args: tuple[Any, ...], out: Any, start: int) -> Iterator[_Apart]:
        """The results that are computed from what wants no gradient.

        Where it is not known what they are computed from, but autograd follows others: those that it does not follow.
        """
        flows = None if graph.traced is None else graph.traced.flows
        if flows is None or len(flows) != len(out) or any(max(each, default=0) >= len(args) for each in flows):
            if not any(is_made_since(each, start) for each in tensors_in(out)):
                return
            flows = (_unfollowed(args),) * len(out)
        for result, flow in zip(out, flows, strict=True):
            if isinstance(result, torch.Tensor) and not is_made_since(result, start):
                read = tensors_in([args[at] for at in sorted(flow)])
                if self._session.tensors.get(result) is None and not any(each.requires_grad for each in read):
                    yield _Apart(result, tuple(map(self._session.ledger.id_of, read)))

    def _log_apart(self, graph: CompiledGraph, apart: _Apart) -> None:
        """An op of its own, or a constant."""
        if apart.read:
            self._op(graph, apart.read, self._session.tensors.add(apart.result), [apart.result], ())
        else:
            self._session.ledger.created(apart.result, (), self._caller)


def _unfollowed(args: tuple[Any, ...]) -> frozenset[int]:
    """The arguments of a graph that want no gradient."""
    return frozenset(at for at, each in enumerate(args) if not any(part.requires_grad for part in tensors_in([each])))


def _holds_tensors(argument: Any) -> bool:
    """Whether an argument is none itself, but has tensors in it."""
    return not isinstance(argument, torch.Tensor) and bool(tensors_in(argument))


def _version(tensor: Any) -> int | None:
    """How often a tensor has been changed in place; None of one that does not count."""
    return None if tensor.is_inference() else int(tensor._version)
