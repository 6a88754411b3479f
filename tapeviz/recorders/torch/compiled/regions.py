"""Graphs of compiled functions -> one op for each that runs, with the tensors at its border.

The compiler leaves a function for each graph among the globals of what it has compiled, before the recording or in it.
There the recorder stands around it.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from types import FrameType
from typing import Any

import torch

from tapeviz.events.catalog import GRAPH
from tapeviz.events.program.frames import outward, scope_called
from tapeviz.events.raw import next_id
from tapeviz.events.types import GraphTraced, NodeTraced, StateWritten
from tapeviz.phrases import BETWEEN_GRAPHS, COMPILED, RESUMED
from tapeviz.recorders.patches import Patches, Swapped
from tapeviz.recorders.runs import one_or_all
from tapeviz.recorders.torch.backward.nodes import counter
from tapeviz.recorders.torch.compiled.traced import Traced, Tracer
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.stack import unseen
from tapeviz.recorders.torch.values import kept, node_of, tensors_in

_GRAPH = "__compiled_fn"
"""How the names of the compiler's functions begin."""
_RESUMED = re.compile(r"torch_dynamo_resume_in_(.+)_at_(\d+)")
"""The name of what goes on after a break between two graphs: of the function, and the line of the break."""


EARLIER = "compiled before the recording"
UNTRACED = "by a backend that does not trace it ahead of time"
"""Why it is not known what is inside of a graph."""


class Graph:
    """A graph of a compiled function: its nodes, or why they are `unknown`; what the log calls it once it has run."""

    __slots__ = ("function", "number", "traced", "unknown")

    def __init__(self, traced: Traced | None, unknown: str) -> None:
        self.traced = traced
        self.unknown = unknown
        self.function = ""
        self.number: int | None = None

    @property
    def op(self) -> str:
        return f"{self.function}{COMPILED}"


class Regions:
    """The graphs of compiled functions, and the call of such a function that runs."""

    def __init__(self, session: Session, hooks: Patches) -> None:
        self._session = session
        self._hooks = hooks
        self._found: set[str] = set()
        self._again: Counter[str] = Counter()
        self.tracer = Tracer(session)
        self._name = ""
        self._caller: FrameType | None = None
        self._leaves: dict[int, tuple[Any, int]] = {}

    def find(self, *, is_new: bool) -> None:
        """Stand around each graph that was not there before; what `is_new` has just been traced."""
        traced, unknown = (self.tracer.take(), UNTRACED) if is_new else (None, EARLIER)
        manager = import_module("torch._dynamo.utils").CleanupManager.instance
        held = {hook.name: hook.scope for hooks in list(manager.values.values()) for hook in hooks}
        for name in held.keys() - self._found:
            self._found.add(name)
            if name.startswith(_GRAPH) and name in held[name]:
                graph = Graph(traced, "" if traced else unknown)
                self._hooks.install([self._row(held[name], name, graph)])

    def _row(self, scope: dict[str, Any], name: str, graph: Graph) -> Swapped:
        """The row for the function of a graph, which the compiler may take away meanwhile."""
        before = scope[name]

        def put(value: Any) -> None:
            if name in scope:
                scope[name] = value

        return Swapped((_GRAPH, name), before, put, lambda: put(before), partial(self._watched, graph))

    def _watched(self, graph: Graph, function: Callable[..., Any]) -> Any:
        """The function of a graph, that tells of its calls, and that is itself no part of what is compiled."""

        def call(*args: Any) -> Any:
            is_seen = self._caller is not None and self._session.is_here
            return self._run(graph, function, args) if is_seen else function(*args)

        return import_module("torch._dynamo").disable(call)

    def enter(self, name: str, caller: FrameType) -> None:
        """A compiled function of this name is called in the user's frame."""
        self._name, self._caller = name, caller

    def leave(self) -> None:
        """It has returned: what it has changed between its graphs, as an optimizer does, has new values."""
        left = [each for each, version in self._leaves.values() if each._version != version]
        if self._caller is not None:
            with unseen():
                self._written(left, f"{self._name}{COMPILED}")
        self._leaves.clear()
        self._caller = None

    def _written(self, changed: Iterable[Any], how: str) -> None:
        """Tensors of the program's have new values."""
        session, log, caller = self._session, self._session.log, self._caller
        assert caller is not None
        for each in changed:
            raw_id = session.ledger.id_of(each)
            held = session.values.hold(each, raw_id)
            log.append(StateWritten, None, raw_id, held, how, caller.f_code, caller.f_lasti, log.scope)

    def _run(self, graph: Graph, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        operands = tensors_in(args)
        with unseen():
            inputs = tuple([self._id_of(each) for each in operands])
        versions = [each._version for each in operands]
        start = counter()
        try:
            out = function(*args)
        except Exception as error:
            self._session.fail(error)
            raise
        with unseen():
            changed = [each for each, before in zip(operands, versions, strict=True) if each._version != before]
            if graph.number is None:
                self._tell(graph)
            self._leaves.update({id(each): (each, each._version) for each in operands if each.is_leaf})
            apart = dict(self._apart(graph, args, out, start))
            self._log(graph, start, inputs, [each for each in tensors_in(out) if id(each) not in apart], changed)
            self._log_apart(graph, apart.values())
        return out

    def _id_of(self, tensor: Any) -> int:
        """The raw id of what goes into a graph; between two graphs, ops run that are known by their nodes alone."""
        known = self._session.tensors.get(tensor)
        if known is None and node_of(tensor) is not None and self._caller is not None:
            self._session.nodes.adopt_call(f"{self._name}{BETWEEN_GRAPHS}", [tensor], (), self._caller)
        return self._session.ledger.id_of(tensor)

    def _named(self) -> str:
        """The name of the graph that runs: that of its function, and where in it the graph begins."""
        resumed = (_RESUMED.fullmatch(frame.f_code.co_name) for frame in outward(sys._getframe(1)))
        after = next((f"{RESUMED}{found[2]} on" for found in resumed if found is not None), "")
        return f"{self._name}{after}"

    def _tell(self, graph: Graph) -> None:
        """A graph runs for the first time: tell what is inside."""
        graph.function, graph.number = self._named(), next_id()
        again = self._again[graph.function]
        self._again[graph.function] += 1
        log, caller = self._session.log, self._caller
        assert caller is not None
        about = graph.function, graph.number, again, graph.unknown
        log.append(GraphTraced, attrs=about, code=caller.f_code, lasti=caller.f_lasti, scope=log.scope)
        inside = scope_called(graph.op, log.scope, caller)
        call = caller.f_code, caller.f_lasti
        for *node, code in () if graph.traced is None else graph.traced.nodes:  # of PyTorch's own modules the compiler tells no line
            at, lasti = call if code is None else (code, -1)
            log.append(NodeTraced, attrs=(graph.number, *node), code=at, lasti=lasti, scope=inside)

    def _log(self, graph: Graph, start: int, inputs: tuple[int, ...], results: list[Any], changed: list[Any]) -> None:
        """One call of a graph: an op with what it gives, and with what of its inputs it has changed in place."""
        session, log, caller = self._session, self._session.log, self._caller
        assert caller is not None
        followed = {id(each): each for each in (*results, *changed) if _is_made_since(each, start)}
        fresh = {id(each): each for each in results if session.tensors.get(each) is None}
        made = list({**fresh, **followed}.values())
        code, lasti = caller.f_code, caller.f_lasti
        if made:
            ids = tuple([session.tensors.add(each) for each in made])
            values = one_or_all(tuple([kept(log, each) for each in made]))
            tapes = session.tapes if followed else ()
            if followed:
                session.nodes.add(start, counter(), inputs, one_or_all(ids))
                for each, raw_id in zip(made, ids, strict=True):
                    session.nodes.note_output(each, raw_id)
            attrs = ((GRAPH, graph.number),)
            log.raw += (graph.op, inputs, one_or_all(ids), values, attrs, (), tapes, log.scope, code, lasti)
        self._written((each for each in changed if id(each) not in followed), graph.op)

    def _apart(
        self, graph: Graph, args: tuple[Any, ...], out: Any, start: int
    ) -> Iterator[tuple[int, tuple[Any, tuple[int, ...]]]]:
        """The results that autograd does not follow, and that nothing leads to which wants a gradient; by identity, each
        with the raw ids of what it is computed from."""
        flows = graph.traced and graph.traced.flows
        if flows is None or len(flows) != len(out) or any(max(each, default=0) >= len(args) for each in flows):
            if not any(_is_made_since(each, start) for each in tensors_in(out)):
                return
            flows = (_unfollowed(args),) * len(out)  # what it can have come from, where the way to others is followed
        for result, flow in zip(out, flows, strict=True):
            if not isinstance(result, torch.Tensor) or _is_made_since(result, start):
                continue
            read = tensors_in([args[at] for at in sorted(flow)])
            if self._session.tensors.get(result) is None and not any(each.requires_grad for each in read):
                yield id(result), (result, tuple(map(self._session.ledger.id_of, read)))

    def _log_apart(self, graph: Graph, results: Iterable[tuple[Any, tuple[int, ...]]]) -> None:
        """What comes of a call beside that: constants, and results of other inputs."""
        session, log, caller = self._session, self._session.log, self._caller
        assert caller is not None
        for result, read in results:
            if not read:
                session.ledger.created(result, (), caller)
                continue
            made, attrs = session.tensors.add(result), ((GRAPH, graph.number),)
            value, code = kept(log, result), caller.f_code
            log.raw += (graph.op, read, made, value, attrs, (), (), log.scope, code, caller.f_lasti)


def _unfollowed(args: tuple[Any, ...]) -> frozenset[int]:
    """The arguments of a graph that want no gradient."""
    return frozenset(at for at, each in enumerate(args) if not any(part.requires_grad for part in tensors_in([each])))


def _is_made_since(tensor: Any, start: int) -> bool:
    node = node_of(tensor)
    return node is not None and bool(node._sequence_nr() >= start)
