"""The graph by which TensorFlow differentiates a compiled function -> the records of a pass back through a call of it.

TensorFlow builds it from the graph of the function, op by op. What its gradient functions are given and give is
noted as it does; a pass that comes through a call then goes through the ops inside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary, WeakSet

from tensorflow.python.eager import backprop_util
from tensorflow.python.framework import ops
from tensorflow.python.framework.ops import EagerTensor
from tensorflow.python.ops import gradients_util

from tapeviz.recorders.hooks import ALWAYS
from tapeviz.recorders.patches import Patches, Row
from tapeviz.recorders.session import unheard
from tapeviz.recorders.tensorflow.backward.logged_ops import LoggedOp
from tapeviz.recorders.tensorflow.compiled.copied_graph import BACKWARD, copied_inputs_of, is_not_again
from tapeviz.recorders.tensorflow.compiled.template import COPIES, TEMPLATES, Template
from tapeviz.recorders.tensorflow.ledger import raw_id
from tapeviz.recorders.tensorflow.ops import READS
from tapeviz.recorders.tensorflow.session import Session


class PulledOp(NamedTuple):
    """The gradient function of an op has run: with the sums that arrived at its outputs, for what the log has of it."""

    op: LoggedOp
    upstream: tuple[Any, ...]
    contributions: tuple[Any, ...]


class BackwardGraph:
    """A graph by which TensorFlow differentiates a function, and the gradient functions that ran for the ops of that.

    Attributes:
        template: that of the function.
        steps: the gradient functions in it, in turn; None where the log would lack some of the ops.
        weights: to each input of the function, how many contributions arrive.
    """

    def __init__(self, template: Template, graph: Any, pulled: list[tuple[Any, Any, Any]]) -> None:
        self.template = template
        self.graph = graph
        self.callees: dict[str, Template] = {}
        self.branches: dict[str, Any] = {}
        self.steps = self._steps(pulled)
        self.weights: Counter[int] = Counter()
        for step in self.steps or ():
            for entry, each in zip(step.op.inputs, step.contributions, strict=True):
                if each is not None:
                    self.weights[entry] += 1

    def by_place(self, template: Template) -> dict[int, int]:
        """The same by their places."""
        names = {raw_id(each): at for at, each in enumerate(template.inputs)}
        names |= {raw_id(external): names[raw_id(internal)] for external, internal in template.captures}
        return {names[raw]: count for raw, count in self.weights.items() if raw in names}

    @property
    def inputs(self) -> tuple[Any, ...]:
        """Its inputs: the gradients that arrive, and what it has from the function's graph."""
        return tuple(self.graph.inputs)

    @property
    def outputs(self) -> tuple[Any, ...]:
        """What it gives."""
        return tuple(self.graph.outputs)

    def _steps(self, pulled: list[tuple[Any, Any, Any]]) -> list[PulledOp] | None:
        found: list[PulledOp] = []
        template = self.template
        for op, upstream, result in pulled:
            key = tuple(map(raw_id, op.outputs))
            if op.type in READS or key[0] in template.skipped:
                continue
            logged = template.op_that_made(key)
            if logged is None:
                if any(each is not None for each in result):
                    return None
                continue
            given = [*result, *[None] * len(op.inputs)][: len(op.inputs)]
            contributions = [given[at] if at < len(given) else None for at in logged.form.arguments]
            entries = zip(logged.inputs, contributions, strict=True)
            found.append(
                PulledOp(logged, tuple(upstream), tuple([each if type(at) is int else None for at, each in entries]))
            )
        return found


_KNOWN: WeakKeyDictionary[Any, BackwardGraph] = WeakKeyDictionary()
_LATEST: WeakKeyDictionary[Any, BackwardGraph] = WeakKeyDictionary()
"""What recordings have seen built: by its graph, and by that of the function the latest."""
_UNKNOWN: WeakSet[Any] = WeakSet()
"""Graphs that were built before, and are not known."""


class BackwardGraphs:
    """Those that TensorFlow has built in a recording, by their graphs."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._building: list[tuple[Any, list[tuple[Any, Any, Any]]]] = []

    def rows(self) -> list[Row]:
        """Hooks where TensorFlow differentiates a graph, and at the gradient functions of its ops."""
        here = self._session.here
        return [
            here.instead(gradients_util, "_GradientsHelper", self._differentiate),
            here.instead(ops, "get_gradient_function", self._pulling),
        ]

    def of(self, graph: Any) -> BackwardGraph | None:
        """What is known of a graph, which TensorFlow may have built before the recording; None of any other."""
        if graph not in _KNOWN and graph not in _UNKNOWN and graph.name.startswith(BACKWARD):
            _UNKNOWN.add(graph)  # until it is known
            with self._session.noting():
                self._read(graph)
        return _KNOWN.get(graph)

    def _read(self, graph: Any) -> None:
        """Have the function differentiated once more, in a graph of the recorder's own, and compare that."""
        differentiated = [each.graph for each, _ in graph.captures if not isinstance(each, EagerTensor)]
        template = TEMPLATES.get(differentiated[0]) if differentiated else None
        if template is None or any(is_not_again(op) for op in template.graph.get_operations()):
            return
        outputs = [each for each in template.outputs if backprop_util.IsTrainable(each)]
        seeds = graph.inputs[: len(graph.inputs) - len(graph.captures)]
        if len(seeds) != len(outputs):
            return
        pulled: list[tuple[Any, Any, Any]] = []
        patches = Patches()
        patches.install([ALWAYS.instead(ops, "get_gradient_function", self._pulling)])
        try:
            with unheard(), copied_inputs_of(graph) as copied, self._building_for(template.graph, pulled):
                for external, internal in graph.captures:
                    copied.own[external._id] = copied.own[internal._id]
                gradients_util._GradientsHelper(
                    outputs,
                    template.graph.inputs,
                    grad_ys=[copied.own[each._id] for each in seeds],
                    src_graph=template.graph,
                )
        except Exception:  # another op, or one that was never to be differentiated
            return
        finally:
            patches.undo()
        if all(op.type in COPIES for op in copied.awaited or ()):  # by which TensorFlow copies what it gives
            known = [(op, *(tuple(map(copied.known, group)) for group in groups)) for op, *groups in pulled]
            _KNOWN[graph] = BackwardGraph(template, graph, known)
            _LATEST.setdefault(template.graph, _KNOWN[graph])

    def without_results(self, template: Template) -> BackwardGraph | None:
        """The one of a function of which nothing leads back to what goes in, so that it is never called."""
        found = _LATEST.get(template.graph)
        return found if found is not None and not found.graph.outputs else None

    def _differentiate(self, differentiate: Any, *args: Any, src_graph: Any = None, **more: Any) -> Any:
        template = TEMPLATES.get(src_graph) if src_graph is not None else None
        if template is None:
            with self._building_for(None, []):
                return differentiate(*args, src_graph=src_graph, **more)
        pulled: list[tuple[Any, Any, Any]] = []
        with self._building_for(src_graph, pulled):
            found = differentiate(*args, src_graph=src_graph, **more)
        with self._session.noting():
            graph = ops.get_default_graph()
            _KNOWN[graph] = _LATEST[src_graph] = BackwardGraph(template, graph, pulled)
        return found

    @contextmanager
    def _building_for(self, graph: Any, pulled: list[tuple[Any, Any, Any]]) -> Iterator[None]:
        self._building.append((graph, pulled))
        try:
            yield
        finally:
            self._building.pop()

    def _pulling(self, find: Any, op: Any) -> Any:
        found = find(op)
        graph, pulled = self._building[-1] if self._building else (None, [])
        if found is None or graph is None or op.graph is not graph:
            return found

        def pull(op: Any, *upstream: Any) -> Any:
            result = found(op, *upstream)
            pulled.append((op, upstream, result if isinstance(result, (list, tuple)) else (result,)))
            return result

        return pull
