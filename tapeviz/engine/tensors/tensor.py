"""Tensors: arrays with an id, which never change. Their operators are attached by `tensors.operators`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import MethodType
from typing import Any, NoReturn

from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.engine.notes import note
from tapeviz.engine.tensors.array_text import array_repr, array_text, plain
from tapeviz.engine.tensors.missing_attributes import INSTEAD, Absent
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.events.program.autograph import is_index, is_users
from tapeviz.events.raw import next_id
from tapeviz.events.types import AN_INDEX, ReadOut

_new_object = object.__new__


class Eager:
    """A method that tensors have only outside of graphs: inside, `hasattr(x, "numpy")` is False."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self._method = method

    def __get__(self, tensor: Any, kind: type) -> Any:
        if tensor is None:
            return self._method
        name = self._method.__name__
        tensor._require_value(AttributeError, f"There is no .{name}()")
        return MethodType(self._method, tensor)


class Tensor(TensorLike):
    """An array that never changes, with an identity that tapes and logs refer to (`tf.Tensor`).

    >>> import tapeviz as tf
    >>> tf.constant([[1.0, 2.0]])
    <tf.Tensor: shape=(1, 2), dtype=float32, numpy=array([[1., 2.]], dtype=float32)>
    """

    __slots__ = ("__dict__",)  # for attributes that the user sets, or Keras:

    _keras_mask: Any
    """The mask of steps that count, for layers; most tensors have none."""

    @staticmethod
    def _new(value: object) -> Tensor:
        """A tensor with a new id that no tape follows."""
        tensor: Tensor = _new_object(Tensor)
        tensor._value = value
        tensor._id = next_id()
        tensor._traces = ()
        return tensor

    @staticmethod
    def _again(value: object, raw_id: int, traces: tuple[Any, ...]) -> Tensor:
        """A tensor with the id and value of another one, as it was when an op read it: a variable may have changed."""
        tensor: Tensor = _new_object(Tensor)
        tensor._value = value
        tensor._id = raw_id
        tensor._traces = traces
        return tensor

    numpy = Eager(TensorLike.numpy)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in INSTEAD]

    def __copy__(self) -> Tensor:
        return self

    def __deepcopy__(self, memo: object) -> Tensor:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Tensor._new, (self._value,)

    def __index__(self) -> int:
        asker = sys._getframe(1)
        if in_graph.get() is not None and is_index(asker):
            self._require_value(TypeError, "There is no index")
        if in_graph.get() is not None and is_users(asker):
            self._require_value(TypeError, "There is no integer", rewritable=True)
        if self._value.dtype.kind not in "iu" and not self._value.shape:
            kind = f"numpy.{type(self._value).__name__}"
            raise AttributeError(f"{kind!r} object has no attribute '__index__', only integers have: int(x) rounds.")
        if self._value.dtype.kind not in "iu" or self._value.shape:
            raise TypeError(f"only integer scalar arrays can be converted to a scalar index, got {self!s}")
        if is_users(asker):
            note(ReadOut, None, self._id, None, AN_INDEX)
        return int(self._value)

    def __round__(self, digits: int | None = None) -> NoReturn:
        raise AttributeError("A tensor has no `round(x)` of Python's. Write tf.round(x), or round(float(x)).")

    def __setitem__(self, index: object, value: object) -> None:
        raise TypeError("A tensor never changes, so x[i] = y is not supported: use a tf.Variable, and v[i].assign(y).")

    def __delitem__(self, index: object) -> None:
        raise TypeError("A tensor never changes, so del x[i] is not supported: take what is left, as x[1:].")

    def __str__(self) -> str:
        return f"tf.Tensor({array_text(self._value)}, shape={self._value.shape}, dtype={self.dtype.name})"

    def __repr__(self) -> str:
        return f"<tf.Tensor: shape={self._value.shape}, dtype={self.dtype.name}, numpy={array_repr(self._value)}>"

    def __format__(self, spec: str) -> str:
        if spec:
            self._require_value(TypeError, "There is no number to format")
        return format(plain(self._value), spec)


for _name, _instead in INSTEAD.items():
    setattr(Tensor, _name, Absent(_name, _instead))
