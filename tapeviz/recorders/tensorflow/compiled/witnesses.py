"""Functions with their own gradient, in a traced graph -> the gradient that TensorFlow has for what they computed.

What such a function computed in a call is computed once more when a reader asks, with a tape of the recorder's that
follows it. One call of each place in a graph is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from tensorflow.python.eager import backprop, context, execute, imperative_grad, tape
from tensorflow.python.ops import array_ops
from tensorflow.python.ops.unconnected_gradients import UnconnectedGradients
from tensorflow.python.util import nest

from tapeviz.events.body_ops import body_since, is_telling, narrowest, passed
from tapeviz.events.program.frames import is_library
from tapeviz.events.program.inspection import code_of
from tapeviz.recorders.session import unheard
from tapeviz.recorders.tensorflow.backward.logged_ops import LoggedOp
from tapeviz.recorders.tensorflow.compiled.rerun import GraphValues, attrs_of, is_repeatable
from tapeviz.recorders.tensorflow.ops import READS, Ops
from tapeviz.recorders.tensorflow.values import is_followed

_CONSTANT_OPS = frozenset(("Const", "Placeholder"))


class WitnessedPull:
    """Kind of a template's record of a function with its own gradient that was pulled back."""


class TracedWitness:
    """One call in a graph: the symbols that the function was given and gave, the ops between, and words about these."""

    def __init__(self, sources: list[Any], results: list[Any], body: list[Any], about: tuple[Any, ...]) -> None:
        self._sources = sources
        self._results = results
        self._body = body
        self.about = about
        self._is_taken = False

    def testify(self, ops: Ops, op: LoggedOp, upstream: Sequence[Any], rule: Sequence[Any]) -> None:
        """Note what the user's rule was given and gave."""
        rules = [rule[at] if at < len(rule) else None for at in op.form.arguments]
        ops.log.append(WitnessedPull, None, op.outputs, None, (self, tuple(upstream), tuple(rules)))

    def take(self, run: GraphValues, upstream: Sequence[Any]) -> list[Any] | None:
        """TensorFlow's gradients with respect to what the function was given; None if there are none to be had."""
        given = [run.of(each) for each in self._sources]
        is_known = all(each is not None for each in (*given, *upstream))
        if self._is_taken or not is_known or not is_telling([each.numpy() for each in given]):
            return None
        self._is_taken = True
        with unheard(), context.eager_mode():  # `init_scope` would stop the tape
            values = {each._id: array_ops.identity(value) for each, value in zip(self._sources, given, strict=True)}
            own = tape.push_new_tape(persistent=False, watch_accessed_variables=False)
            try:
                for each in values.values():
                    tape.watch(own, each)
                for op in self._body:
                    _compute(op, run, values)
            finally:
                tape.pop_tape(own)
            results = [values.get(each._id, run.of(each)) for each in self._results]
            found: list[Any] = imperative_grad.imperative_grad(
                own, results, [values[each._id] for each in self._sources], output_gradients=list(upstream),
                unconnected_gradients=UnconnectedGradients.NONE,
            )  # fmt: skip
        return found


def _compute(op: Any, run: GraphValues, values: dict[int, Any]) -> None:
    """One op, which the tape follows; what cannot run again is what it was."""
    if op.type in _CONSTANT_OPS or op.type in READS or not is_repeatable(op.type, op.node_def, op.op_def):
        return
    inputs = [values.get(each._id, run.values.get(each._id)) for each in op.inputs]
    if any(each is None for each in inputs):
        return
    attrs = attrs_of(op)
    outputs = execute.quick_execute(op.type, len(op.outputs), inputs, attrs, context.context())
    backprop.record_gradient(op.type, inputs, attrs, outputs)
    values.update({symbol._id: each for symbol, each in zip(op.outputs, outputs, strict=True)})


class TracedWitnesses:
    """Follows the user's functions in a graph; `take` gives the witness of the one that has just run."""

    def __init__(self, ops: Ops) -> None:
        self._ops = ops
        self._latest: TracedWitness | None = None
        self.known: dict[tuple[int, ...], TracedWitness] = {}
        """Each by the ids of what its function gives in the log."""

    def take(self) -> TracedWitness | None:
        """That of the function that has just run."""
        latest, self._latest = self._latest, None
        return latest

    def ran(self, result_ids: tuple[int, ...]) -> None:
        """The function that has just run gave tensors of these ids."""
        if self._latest is not None:
            self.known[result_ids] = self._latest

    def call(self, call: Callable[..., Any], f: Any, args: Any, kwargs: Any) -> Any:
        """Call TensorFlow's function that calls the user's."""
        code = code_of(f)
        self._latest = None
        if code is None or is_library(code.co_filename) or kwargs:
            return call(f, args, kwargs)
        return call(self._followed(f, code), args, kwargs)

    def _followed(self, f: Any, code: Any) -> Any:
        log, graph = self._ops.log, self._ops.session.graph

        @wraps(f)
        def following(*args: Any, **kwargs: Any) -> Any:
            since, before = log.end, len(graph.get_operations())
            result = f(*args, **kwargs)
            sources = nest.flatten(args)
            results = nest.flatten(result[0]) if type(result) is tuple else []
            body = body_since(log, since)
            is_plain = bool(results) and all(is_followed(log, each) for each in (*sources, *results))
            if body is None or not is_plain or len({each._id for each in sources}) < len(sources):
                return result
            if not any("stop_gradient" in each[:1] for each in body):
                names = code.co_varnames[: code.co_argcount]
                names = names if len(names) == len(sources) else ("",) * len(sources)
                about = names, passed(body), narrowest(body, [each.dtype.name for each in sources])
                self._latest = TracedWitness(sources, results, graph.get_operations()[before:], about)
            return result

        return following
