"""Tangents of inputs -> tangents of whatever is computed from them, op by op as it runs.

No op has a rule of its own for this. The VJP of an elementwise op is a product with a diagonal, which is its own
transpose; a linear op maps tangents as it maps values; for every other op the VJP, which is linear in the upstream
gradient, is transposed by differentiating it once more.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.backward.differentiable import differentiable, require_distinct
from tapeviz.engine.backward.indexed_slices import IndexedSlices
from tapeviz.engine.backward.slices import dense
from tapeviz.engine.backward.unconnected import UnconnectedGradients
from tapeviz.engine.facts import Tangents
from tapeviz.engine.logs import leave, recording_into
from tapeviz.engine.recording import APART, Apart, Recording, Trace, current
from tapeviz.engine.specs.dtypes import DIFFERENTIABLE, is_complex
from tapeviz.engine.table import OPS
from tapeviz.engine.tape import GradientTape
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.tracing.building import in_graph
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.events.log import EventLog, Showable


class ForwardAccumulator(Showable):
    """Carries tangents forward through the ops of its block (`tf.autodiff.ForwardAccumulator`).

    Args:
        primals: tensors or variables, or a nested structure of them.
        tangents: the direction: a tensor for each primal, of its shape and dtype. Another shape is an error of the
            first op that computes with the primal, unless it broadcasts.

    Raises:
        AttributeError: a primal that is no tensor, or is a variable of Keras.
        ValueError: a tangent that is of another dtype than its primal, another structure of them, or a primal twice.
        TypeError: tangents in other types of structures than the primals.

    >>> import tapeviz as tf
    >>> x = tf.Variable([2.0, 3.0])
    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as forward:
    ...     y = tf.reduce_prod(x)
    >>> forward.jvp(y)
    <tf.Tensor: shape=(), dtype=float32, numpy=3.0>
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        self._tangents: dict[int, Any] = {}
        self._log: EventLog | None = None
        self._recording = False
        self._graph = in_graph.get()
        self._around: tuple[Trace, ...] = ()
        flat = nest.flatten(primals)
        require_distinct(flat)
        nest.assert_same_structure(primals, tangents)
        for primal, tangent in zip(flat, nest.flatten(tangents), strict=True):
            found = differentiable(primal, "primal", "dtype")
            self._watch(found, convert_to_tensor(tangent, found.dtype))

    def _watch(self, primal: TensorLike, tangent: Tensor) -> None:
        if not primal._native:
            raise AttributeError(
                f"'str' object has no attribute 'is_floating': {primal!r} is a variable of Keras. Give "
                "its `value`, which is a tensor."
            )
        self._tangents[primal._id] = tangent

    def __enter__(self) -> ForwardAccumulator:
        if self._recording:
            raise ValueError("Accumulator is already recording.")
        now = current.get()
        if now.log is None:
            now = now.then(recording_into())
        self._log = now.log
        self._around = now.traces
        current.set(now.with_accumulators((*now.accumulators, self)))
        self._recording = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._recording = False
        self._around = ()
        leave(self)

    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """The tangent of each of `primals`, in their structure: the derivative in the given direction.

        Where nothing was carried it is None, or zeros of the shape of the primal, as `unconnected_gradients` says.

        Raises:
            ValueError: an unknown `unconnected_gradients`.
            AttributeError: one of `primals` is no tensor.
        """
        zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        return nest.map_structure(lambda each: self._tangent_of(each, zero), primals)

    def _tangent_of(self, primal: Any, zero: bool) -> Any:
        found = self._tangents.get(differentiable(primal, "primal", "_id")._id)
        if found is None and zero:
            return Tensor._new(np.zeros_like(primal._value)[()])
        return found

    def carry(self, call: Any, result: Any) -> None:
        """An op ran: give its output the tangent that follows from those of its inputs."""
        tangents = [
            _shaped(_whole(self._tangents.get(entry)), value)
            if type(entry) is int and value.dtype.kind in DIFFERENTIABLE
            else None
            for entry, value in zip(call.entries, call.values, strict=True)
        ]
        outputs = result if type(result) is tuple else (result,)
        reaches = any(each._value.dtype.kind in DIFFERENTIABLE for each in outputs)
        if not reaches or all(each is None for each in tangents):
            return
        now = current.get()
        outer = now.accumulators[: now.accumulators.index(self)]
        current.set(self._apart(now).with_accumulators(outer))
        try:
            carried = tangent_of(call, tangents, result)
        finally:
            current.set(now)
        for output, tangent in zip(outputs, carried, strict=True):
            if tangent is not None and output._value.dtype.kind in DIFFERENTIABLE:
                self._tangents[output._id] = _whole(tangent) if outer else tangent
                for accumulator in outer:
                    accumulator._follow(call, self._tangents[output._id])

    def _apart(self, now: Recording) -> Recording:
        """The recording without the tapes that were entered inside: as in TensorFlow, they see no tangents made."""
        around = tuple([each for each in now.traces if each in self._around])
        return now if len(around) == len(now.traces) else now.with_traces(around)

    def _follow(self, call: Any, tangent: Tensor) -> None:
        """An inner accumulator made a tangent by an op whose inputs have one here: so it has one too, if only zeros."""
        carries = any(type(entry) is int and entry in self._tangents for entry in call.entries)
        if carries and tangent._id not in self._tangents:
            self._tangents[tangent._id] = Tensor._new(np.zeros_like(tangent._value)[()])

    def pass_on(self, body: Tensor, made: Tensor) -> None:
        """A function with a gradient of its own ran: forwards, its body's tangent goes on, unless through a graph."""
        if body._id in self._tangents and self._graph is in_graph.get():
            self._tangents[made._id] = self._tangents[body._id]

    @property
    def log(self) -> EventLog:
        """The log of the recording.

        Raises:
            RuntimeError: the accumulator was never entered.
        """
        if self._log is None:
            raise RuntimeError("This accumulator has no log yet: enter it first: `with accumulator: ...`.")
        return self._log


def tangent_of(call: Any, tangents: list[Any], result: Any) -> tuple[Any, ...]:
    """The tangents of an op's outputs, None where it has no derivative."""
    match _way(call, tangents, result):
        case "linear":
            made = call.op(*[each if t is None else t for each, t in _operands(call, tangents)], **call.attributes)
            return made if type(made) is tuple else (made,)
        case "bilinear":
            tangents = _completed(call, tangents)
            return (_sum([_with(call, i, t) for i, t in enumerate(tangents) if t is not None]),)
        case "elementwise":
            return (_elementwise(call, _completed(call, tangents), result),)
        case _:
            return _transposed(call, tangents, result)


def _way(call: Any, tangents: list[Any], result: Any) -> Tangents | None:
    """The way that tangents take through an op, or another if these cannot take it."""
    facts = call.op.facts
    way: Tangents | None = facts.tangents
    if way == "linear" and any(t is None and rule for t, rule in _pairs(call, tangents)):
        way = "elementwise" if facts.over == "entries" else "transposed"
    if way == "elementwise":
        apart = type(result) is tuple or any(each is not None and each.dtype != result.dtype for each in tangents)
        if apart or (is_complex(result) and not facts.holomorphic):
            way = "transposed"  # the VJP is no product with a diagonal
    return way


def _operands(call: Any, tangents: list[Any]) -> list[tuple[Any, Any]]:
    return list(zip(call.as_tensors(), tangents, strict=True))


def _pairs(call: Any, tangents: list[Any]) -> list[tuple[Any, Any]]:
    op = call.op
    rules = [op.rules[op.arguments[0]]] * len(tangents) if op.variadic else list(op.rules.values())
    return list(zip(tangents, rules, strict=True))


def _with(call: Any, index: int, tangent: Any) -> Any:
    operands = list(call.as_tensors())
    operands[index] = tangent
    return call.op(*operands, **call.attributes)


def _sum(parts: list[Any]) -> Any:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _elementwise(call: Any, tangents: list[Any], result: Any) -> Any:
    """The VJPs applied to the tangents; what is not of the shape of the output is stretched to it first."""
    shape = result._value.shape
    inputs = tuple(_stretched(each, shape) for each in call.as_tensors())
    parts = []
    for index, tangent in enumerate(tangents):
        plan = call.op.plan(tuple(i == index for i in range(len(tangents))), False)
        if tangent is not None and plan.mask[index]:
            saved = plan.pick(result, call.attributes, *inputs)
            parts.append(plan.cotangents(_stretched(tangent, shape), saved)[index])
    return _sum(parts) if parts else None


def _stretched(value: Any, shape: tuple[int, ...]) -> Any:
    return value if tuple(value.shape) == shape else OPS["broadcast_to"](value, shape=shape)


def _transposed(call: Any, tangents: list[Any], result: Any) -> tuple[Any, ...]:
    """The derivative of Re <VJP(g), tangent> with respect to g, which does not depend on g."""
    outputs = result if type(result) is tuple else (result,)
    tangents = _completed(call, tangents)
    followed = tuple(each is not None for each in tangents)
    plan = call.op.plan(followed, call.uneven, _apart(tangents))
    # Ones, because a rule may divide by g on its way to what is linear in it.
    seeds = [Tensor._new(np.ones_like(each._value)[()]) for each in outputs]
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(seeds)
        saved = plan.pick(result, call.attributes, *call.as_tensors())
        pulled = plan.cotangents(tuple(seeds) if type(result) is tuple else seeds[0], saved)
        products = [
            OPS["reduce_sum"](_inner(dense(c), t), axis=None, keepdims=False)
            for c, t in zip(pulled, tangents, strict=True)
            if c is not None and t is not None
        ]
        total = _sum(products) if products else None
    if total is None:
        return (None,) * len(outputs)
    return tuple(tape.gradient(total, seeds))


def _shaped(tangent: Any, primal: Any) -> Any:
    """A tangent, if there is one, broadcast to the shape of its primal.

    Raises:
        ValueError: it does not broadcast to that shape.
    """
    if tangent is None or tangent._value.shape == primal.shape:
        return tangent
    shape, given = primal.shape, tangent._value
    try:
        return Tensor._new(np.broadcast_to(given, shape).copy())
    except ValueError:
        raise ValueError(
            f"Dimensions must be equal, but are {shape} of the primal and {given.shape} of its tangent, which "
            "ForwardAccumulator takes in the shape of its primal."
        ) from None


def _whole(tangent: Any) -> Any:
    """A tangent as a dense tensor, where only some rows have one."""
    return convert_to_tensor(tangent) if isinstance(tangent, IndexedSlices) else tangent


def _completed(call: Any, tangents: list[Any]) -> list[Any]:
    """The tangents of an op's inputs: zeros for one that has none but could have one, as in TensorFlow."""
    return [
        Tensor._new(np.zeros_like(value)[()]) if tangent is None and value.dtype.kind in DIFFERENTIABLE else tangent
        for value, tangent in zip(call.values, tangents, strict=True)
    ]


def _apart(tangents: list[Any]) -> type[Apart] | None:
    """What `Op.plan` is told of inputs with these tangents."""
    kinds = [each._value.dtype.kind for each in tangents if each is not None]
    return next((APART[kind] for kind in kinds if kind in APART), None)


def _inner(cotangent: Any, tangent: Any) -> Any:
    """The real part of the product, the cotangent conjugated."""
    if not is_complex(cotangent):
        return cotangent * tangent
    return OPS["real"](OPS["conj"](cotangent) * tangent)
