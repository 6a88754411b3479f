"""A tensor that an iteration of a loop in a graph made -> what it is after the loop, where TensorFlow cannot use it."""

from __future__ import annotations

from typing import Any, NoReturn

from tapeviz.engine.specs.dtypes import DType
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.engine.tensors.tensor import EagerTensor
from tapeviz.errors import InaccessibleTensorError


class OutOfScope(EagerTensor):
    """A tensor that shows what it was, and has no value."""

    __slots__ = ("_was",)

    _was: tuple[TensorShape, DType]

    def __new__(cls, tensor: EagerTensor) -> OutOfScope:
        made: OutOfScope = object.__new__(cls)
        made._id, made._traces, made._was = 0, (), (tensor.shape, tensor._dtype)
        return made

    @property
    def shape(self) -> TensorShape:
        return self._was[0]

    @property
    def _dtype(self) -> DType:
        return self._was[1]

    @property
    def _value(self) -> NoReturn:
        raise InaccessibleTensorError(
            f"{self!r} is out of scope and cannot be used here. Use return values, explicit Python locals or "
            "TensorFlow collections to access it.\nPlease see https://www.tensorflow.org/guide/function"
            "#all_outputs_of_a_tffunction_must_be_return_values for more information. A turn of a loop over tensors "
            "put it into a list: write into a tf.TensorArray instead."
        )

    def _require_value(self, *_: Any, **__: Any) -> None:
        self._value  # noqa: B018

    def __repr__(self) -> str:
        return f"<tf.Tensor 'while:0' shape={self.shape} dtype={self.dtype.name}>"

    def __str__(self) -> str:
        return f'Tensor("while:0", shape={self.shape}, dtype={self.dtype.name})'
