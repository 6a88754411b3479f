"""Compiled functions that are traced and called -> a template of each trace, and of each call one op and what it needs.

Nothing of a function is changed: TensorFlow traces what it would trace, and runs what it made of it.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Set
from itertools import chain
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from tensorflow.python.eager.polymorphic_function import attributes as attributes_lib
from tensorflow.python.eager.polymorphic_function import concrete_function, polymorphic_function, tracing_compilation
from tensorflow.python.framework.auto_control_deps_utils import get_read_only_resource_input_indices_graph
from tensorflow.python.util import nest

from tapeviz.events.raw import KIND, STRIDE, Deferred
from tapeviz.events.types import GradientUnseen, GraphTraced, StateWritten, VjpApplied
from tapeviz.recorders.patches import Row
from tapeviz.recorders.tensorflow.backward.logged_ops import LoggedOp
from tapeviz.recorders.tensorflow.backward.sweep import Sweep
from tapeviz.recorders.tensorflow.compiled.backward import BackwardGraph, BackwardGraphs
from tapeviz.recorders.tensorflow.compiled.batches import take_next
from tapeviz.recorders.tensorflow.compiled.copied_graph import BACKWARD
from tapeviz.recorders.tensorflow.compiled.deferred import DeferredFunction, HeldVariables, Pull, computing, is_variable
from tapeviz.recorders.tensorflow.compiled.earlier import OWN, OWN_GRAPHS, template_of
from tapeviz.recorders.tensorflow.compiled.template import TEMPLATES, Template
from tapeviz.recorders.tensorflow.compiled.traced_ops import DATASET
from tapeviz.recorders.tensorflow.compiled.tracing import Tracing
from tapeviz.recorders.tensorflow.functions import name_of_python
from tapeviz.recorders.tensorflow.ledger import raw_id
from tapeviz.recorders.tensorflow.ops import READS, Ops
from tapeviz.recorders.tensorflow.optimizers import KerasSteps
from tapeviz.recorders.tensorflow.session import Session
from tapeviz.recorders.tensorflow.traces import Traces
from tapeviz.recorders.tensorflow.values import is_eager

_PUSHED = frozenset({"_jvp_exact_shapes", "_jvp_relaxed_shapes"})
"""What `ForwardAccumulator` differentiates ops with: TensorFlow compiles it once, for all programs."""
_GRADIENTS = "gradient_tape/"
"""How the names of ops begin by which a tape in a function takes a gradient."""
EARLIER = "compiled before the recording began"
RECORD_FIRST = 'have the block begin before its first call, or open it by `tv.record(functions="eager")`'
MOST_PASSED = 64
"""How many calls, computed at once, may wait for a pass that comes through them."""


class FunctionCalls:
    """The functions of TensorFlow's that were traced in a recording."""

    def __init__(self, ops: Ops, traces: Traces, steps: KerasSteps) -> None:
        self._ops = ops
        self._traces = traces
        self._steps = steps
        self._session: Session = ops.session
        self._numbers: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
        self._times: Counter[str] = Counter()
        self._traced = 0
        self._reads: WeakKeyDictionary[Any, Set[int]] = WeakKeyDictionary()
        self._held = HeldVariables(ops)
        self._backwards = BackwardGraphs(self._session)
        self._latest_calls: deque[Any] = deque(maxlen=MOST_PASSED)
        self._calls: WeakValueDictionary[int, DeferredFunction] = WeakValueDictionary()
        self._latest: tuple[BackwardGraph | None, list[Any]] = None, []

    def rows(self) -> list[Row]:
        """Hooks where a function is traced, and where what was made of it is called."""
        here, running = self._session.here, self._session.running
        return [
            here.instead(tracing_compilation, "_create_concrete_function", self._trace),
            running.instead(concrete_function.ConcreteFunction, "_call_flat", self._call),
            running.instead(polymorphic_function.Function, "__call__", self._compare),
            *self._backwards.rows(),
        ]

    def _trace(self, trace: Any, kind: Any, about: Any, graph: Any, options: Any) -> Any:
        name = name_of_python(options.python_function)
        if name.startswith(OWN):
            OWN_GRAPHS.add(graph)
            return trace(kind, about, graph, options)
        is_by_xla = bool((options.attributes or {}).get(attributes_lib.XLA_COMPILE))
        tracing = Tracing(self._session, graph, name, is_by_xla, self._backwards)
        self._traced += 1
        with tracing.recording():
            made = tracing.run(lambda: trace(kind, about, graph, options))
        with self._session.noting():
            TEMPLATES[made.graph] = tracing.template()
        return made

    def _compare(self, call: Any, function: Any, *args: Any, **more: Any) -> Any:
        """Python values that were built in are compared with those of now."""
        before = self._traced
        with self._session.noting():
            self._traces.compare(function, (args, more))
        result = call(function, *args, **more)
        if self._traced > before:
            with self._session.noting():
                self._traces.traced(function, (args, more))
        return result

    def _call(self, call: Any, function: Any, tensor_inputs: Any, captured_inputs: Any) -> Any:
        backward = self._backwards.of(function.graph)
        if backward is not None:
            self._latest = backward, list(tensor_inputs)
        if not self._ops.is_recording:
            return call(function, tensor_inputs, captured_inputs)
        session, template = self._session, self._template(function)
        arguments = [*tensor_inputs, *captured_inputs]
        if template is None:
            with session.noting():
                self._tell_of_unseen(function.graph)
            result = call(function, tensor_inputs, captured_inputs)
            with session.noting():
                self._written(function, arguments)
            return result
        with computing():
            taken = take_next(template, arguments)
        deferred = None
        with session.noting():
            if self._tell(template.graph, template.name) and template.is_taken_unseen:
                self._session.note(GradientUnseen, attrs=f"inside of a function that was {EARLIER}: {RECORD_FIRST}")
            for optimizer in filter(None, (each() for each in template.optimizers)):
                self._steps.introduce(optimizer)
            deferred = DeferredFunction(self._ops, self._held, template, arguments, taken)
        begin = session.log.end
        try:
            result = call(function, taken.arguments[: len(tensor_inputs)], captured_inputs)
        except Exception:
            taken.raise_own()
            raise
        finally:
            taken.let_go()
        with session.noting():
            self._written(function, arguments)
            if deferred is not None:
                self._defer(deferred, result, begin)
        return result

    def _template(self, function: Any) -> Template | None:
        """That of a function, which is made of its graph if no recording has seen it traced."""
        graph = function.graph
        if _is_own(graph):
            return None
        is_by_xla = bool(function._inference_function.graph_call_attrs["xla_compile_attr"])
        found = None
        with self._session.noting():
            found = template_of(self._session, graph, is_by_xla, self._backwards)
        return found

    def _defer(self, deferred: DeferredFunction, result: Any, begin: int) -> None:
        """The records from `begin` on are of a call that has given this."""
        log = self._session.log
        deferred.ran([each for each in nest.flatten(result, expand_composites=True) if is_eager(each)])
        since = log.raw[max(begin - log.packed.length, 0) :]
        if Deferred in since[KIND::STRIDE]:  # Python was called in it, which called something compiled
            return
        self._calls.update(dict.fromkeys(deferred.outputs, deferred))
        self._put(deferred, len(since) // STRIDE, deferred.kept)

    def _put(self, deferral: DeferredFunction | Pull, count: int, kept: tuple[Any, ...]) -> None:
        """What a deferral computes takes the place of so many records: at once in a log that lets values go, or that is
        listened to."""
        log = self._session.log
        if not (log.keeps_norms or log.is_heard):
            log.append(Deferred, values=kept, attrs=(deferral, count))
            return
        self._latest_calls.append(deferral)
        records = deferral.records(log.raw[len(log.raw) - count * STRIDE :])
        if records is not None:
            log.take_back(log.end - count * STRIDE)
            log.write(records)

    def pulled(self, op: LoggedOp, sweep: Sweep) -> None:
        """A pass has come through a call, by the function that differentiates it."""
        (backward, upstream), self._latest = self._latest, (None, [])
        call, log = self._calls.get(op.outputs[0]), self._session.log
        if call is not None and log.raw[len(log.raw) - STRIDE + KIND] is VjpApplied:
            pull = call.pulled(op, sweep, backward or self._backwards.without_results(call.template), upstream)
            self._put(pull, 1, pull.kept)

    def _written(self, function: Any, arguments: list[Any]) -> None:
        """Log what it has written to variables."""
        log, ledger = self._session.log, self._ops.ledger
        only_read = self._only_read(function.graph)
        place = self._session.place()
        for at, each in enumerate(arguments):
            handle = getattr(each, "handle", each)
            if at in only_read or not is_variable(handle):
                continue
            raw = ledger.interned(raw_id(handle))
            ledger.written(raw)
            if raw in ledger.known:
                held = ledger.hold(raw, self._held.read(handle)) if log.keeps_values else None
                log.append(StateWritten, None, raw, held, "assign", *place)

    def _only_read(self, graph: Any) -> Set[int]:
        """The inputs of a graph, by place, that it does not write to; to a dataset variables are given to be read."""
        found = self._reads.get(graph)
        if found is None:
            users: dict[int, bool] = {}
            for op in graph.get_operations():
                reads = op.type in READS or op.type.endswith(DATASET)
                users.update({each._id: users.get(each._id, True) and reads for each in op.inputs})
            found = {at for at, each in enumerate(graph.inputs) if users.get(each._id, True)}
            found |= set(get_read_only_resource_input_indices_graph(graph))
            self._reads[graph] = found
        return found

    def _tell(self, graph: Any, name: str, unknown: str = "") -> bool:
        """Log the first call of a graph, and why its inside is not known; whether it is the first."""
        if graph in self._numbers:
            return False
        number = self._numbers[graph] = len(self._numbers) + 1
        about = name, number, self._times[name], unknown
        self._times[name] += 1
        self._session.log.append(GraphTraced, None, None, None, about, *self._session.place())
        return True

    def _tell_of_unseen(self, graph: Any) -> None:
        """A function is called of which no template can be made."""
        if _is_own(graph) or not self._tell(graph, graph.name, EARLIER):
            return
        if _takes_gradients(graph):
            self._session.note(GradientUnseen, attrs=f"inside of a function that was {EARLIER}: {RECORD_FIRST}")


def _is_own(graph: Any) -> bool:
    """Whether a graph is of a function of TensorFlow's own, which is none of the program's."""
    return graph in OWN_GRAPHS or graph.name in _PUSHED or graph.name.startswith(BACKWARD)


def _takes_gradients(graph: Any) -> bool:
    """Whether a tape in a function, or in one that it calls, takes a gradient."""
    described = graph.as_graph_def()
    functions = (node for each in described.library.function for node in each.node_def)
    return any(node.name.startswith(_GRADIENTS) for node in chain(described.node, functions))
