"""Tangents of inputs -> tangents of whatever is computed from them, op by op as it runs: forward mode."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.backward.differentiable import differentiable, require_distinct
from tapeviz.engine.backward.indexed_slices import IndexedSlices
from tapeviz.engine.backward.unconnected import UnconnectedGradients, is_zero
from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.engine.logs import leave, recording_into
from tapeviz.engine.recording import Recording, Trace, current
from tapeviz.engine.specs.dtypes import DIFFERENTIABLE
from tapeviz.engine.tangents import tangents_of
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.events.log import EventLog, Showable
from tapeviz.events.undo import ended_by


class ForwardAccumulator(Showable):
    """Computes directional derivatives by forward mode, for the ops in its block (`tf.autodiff.ForwardAccumulator`).

    Args:
        primals: tensors or variables, or a structure of them.
        tangents: the direction: a tensor for each primal, of its dtype. Another shape is an error of the first op that
            reads the primal, unless it broadcasts.

    Raises:
        AttributeError: a primal is not a tensor, or is a variable of Keras.
        ValueError: a tangent has another dtype, the structures differ, or a primal occurs twice.
        TypeError: the structures are of different types.

    >>> import tapeviz as tf
    >>> x = tf.Variable([2.0, 3.0])
    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as forward:
    ...     y = tf.reduce_prod(x)
    >>> forward.jvp(y)
    <tf.Tensor: shape=(), dtype=float32, numpy=3.0>
    """

    def __init__(self, primals: object, tangents: object) -> None:
        self._tangents: dict[int, Any] = {}
        self._log: EventLog | None = None
        self._recording = False
        self._graph = in_graph.get()
        self._around: tuple[Trace, ...] = ()
        flat = nest.flatten(primals)
        require_distinct(flat)
        nest.assert_same_structure(primals, tangents)
        for primal, tangent in zip(flat, nest.flatten(tangents), strict=True):
            found = differentiable(primal, "primal", "dtype", "is_floating")
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
        try:
            current.set(now.with_accumulators((*now.accumulators, self)))
            self._recording = True
            return self
        except BaseException:
            self._stop()
            raise

    @ended_by(lambda self, *_: self._stop())
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._around = ()

    def _stop(self) -> None:
        leave(self)
        self._recording = False

    def jvp(self, primals: object, unconnected_gradients: object = UnconnectedGradients.NONE) -> Any:
        """The directional derivatives of some tensors.

        Args:
            primals: a tensor, or a structure of tensors.
            unconnected_gradients: "none" or "zero": the derivative of a tensor that does not depend on the inputs.

        Returns:
            In the structure of `primals`, tensors of their shapes, or None.

        Raises:
            ValueError: an unknown `unconnected_gradients`.
            AttributeError: one of `primals` is not a tensor.
        """
        zero = is_zero(unconnected_gradients)
        return nest.map_structure(lambda each: self._tangent_of(each, zero), primals)

    def _tangent_of(self, primal: Any, zero: bool) -> Any:
        found = self._tangents.get(differentiable(primal, "primal", "_id")._id)
        if found is None and zero:
            return Tensor._new(np.zeros_like(primal._value)[()])
        return found

    def carry(self, call: Any, result: Any) -> None:
        """Compute the tangents of the outputs of an op from those of its inputs. It is called after each op."""
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
            carried = tangents_of(call, tangents, result)
        finally:
            current.set(now)
        for output, tangent in zip(outputs, carried, strict=True):
            if tangent is not None and output._value.dtype.kind in DIFFERENTIABLE:
                self._tangents[output._id] = _whole(tangent) if outer else tangent
                for accumulator in outer:
                    accumulator._follow(call, self._tangents[output._id])

    def _apart(self, now: Recording) -> Recording:
        """The recording without the tapes that were entered inside: as in TensorFlow, they do not record tangents."""
        around = tuple([each for each in now.traces if each in self._around])
        return now if len(around) == len(now.traces) else now.with_traces(around)

    def _follow(self, call: Any, tangent: Tensor) -> None:
        """Give the tangent of an inner accumulator a tangent here, zeros if need be, if an input of its op has one."""
        carries = any(type(entry) is int and entry in self._tangents for entry in call.entries)
        if carries and tangent._id not in self._tangents:
            self._tangents[tangent._id] = Tensor._new(np.zeros_like(tangent._value)[()])

    def pass_on(self, body: Tensor, made: Tensor) -> None:
        """Give the result of a custom gradient, or of a graph, the tangent of the tensor in its body."""
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
    """A tangent as a dense tensor, also if it is in slices."""
    return convert_to_tensor(tangent) if isinstance(tangent, IndexedSlices) else tangent
