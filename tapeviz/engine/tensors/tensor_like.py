"""What tensors and variables share: a value, an id, and the tapes that follow it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tapeviz.engine.graph_mode.building import FuncGraph, in_graph
from tapeviz.engine.graph_mode.conditions import require_condition
from tapeviz.engine.graph_mode.loops import iterations
from tapeviz.engine.notes import note
from tapeviz.engine.specs.dtypes import DType, of_numpy
from tapeviz.engine.specs.shape import OpenShape, TensorShape
from tapeviz.engine.tensors.array_text import copied
from tapeviz.engine.tensors.reference import Reference
from tapeviz.errors import OperatorNotAllowedInGraphError
from tapeviz.events.program.autograph import asked_by, is_condition, is_loop, is_negated, is_users, takes_number
from tapeviz.events.program.frames import is_library
from tapeviz.events.types import TRUTH, ReadOut

Operator: TypeAlias = Any


_IN_GRAPH = (
    "TensorFlow builds a graph of this function, in which tensors have no values yet: compute with TensorFlow's ops, "
    "show values by tf.print, or use tf.numpy_function."
)


class TensorLike:
    """What tensors and variables share: a value, an id, and the tapes that follow it."""

    __slots__ = ("__weakref__", "_id", "_origin", "_traces", "_value")

    _value: Any
    _id: int
    _traces: tuple[Any, ...]
    _origin: tuple[tuple[str, bool, str | None], Any, Any, int]
    """What its record is about, the scope, and the user's code and instruction that made it; only leaves have this."""
    _self_watched: bool = False
    _native: bool = True
    _label: str | None = None

    @property
    def _role(self) -> str:
        """variable, constant or intermediate, as in `events.types.Role`."""
        return "constant" if hasattr(self, "_origin") else "intermediate"

    @property
    def shape(self) -> TensorShape:
        graph = in_graph.get()
        if graph is not None and graph.open_shapes and self._id in graph.open_shapes:
            asker = sys._getframe(1)
            asker = asker if asker.f_code is not TensorLike.get_shape.__code__ else asker.f_back or asker
            if not is_library(asker.f_code.co_filename):
                return OpenShape(graph.open_shapes[self._id], self._value.shape)
        return TensorShape.of_array(self._value)

    @property
    def _dtype(self) -> DType:
        """The dtype as an object, also of a variable of Keras, whose `dtype` is a name."""
        return of_numpy(self._value.dtype)

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def ndim(self) -> int:
        return int(self._value.ndim)

    def get_shape(self) -> TensorShape:
        """The shape."""
        return self.shape

    @property
    def device(self) -> str:
        """The name of the device that it is on: always the first CPU."""
        return "/job:localhost/replica:0/task:0/device:CPU:0"

    def _require_value(
        self, error: type[Exception], said: str, *, rewritable: bool = False, outside: bool = False
    ) -> None:
        """Raise an error if the tensor is symbolic, so that it has no value yet.

        Args:
            error: the class.
            said: the text.
            rewritable: there is no error if AutoGraph rewrites the code, as it makes an op of it.
            outside: raise it inside of a graph for tensors from outside, too.
        """
        graph = in_graph.get()
        if graph is None or not (outside or self._is_in(graph)):
            return
        if not (rewritable and graph.rewritten):
            name = graph.name_of(self._id)
            raise error(f"{said}{f' of {name}' if name else ''}. {_IN_GRAPH}")

    def _without_length(self, said: str) -> Exception:
        """The error for iterating over a scalar; for a symbolic one it is about its length."""
        graph = in_graph.get()
        if graph is None or not self._is_in(graph):
            return TypeError(said)
        return ValueError(said)

    def _is_in(self, graph: FuncGraph) -> bool:
        return graph.holds(self._id)

    def _read(self) -> None:
        """Tell the tapes that the value is read, so that they watch a variable. Nothing to do for other tensors."""

    def numpy(self) -> Any:
        """A copy of the value: an array, or a NumPy scalar for a scalar tensor.

        The log notes the read as a `ReadOut`.
        """
        self._require_value(AttributeError, "There is no .numpy()")
        self._read()
        note(ReadOut, None, self._id, None, ".numpy()")
        return copied(self._value)

    def set_shape(self, shape: object) -> None:
        """Check that the tensor has a shape. It changes nothing, as the shape is known.

        Raises:
            ValueError: another shape.
        """
        if not self.shape.is_compatible_with(shape):
            raise ValueError(f"set_shape: a tensor of shape {self.shape} cannot get shape {TensorShape(shape)}.")
        graph = in_graph.get()
        if graph is not None and self._id in graph.open_shapes:
            graph.open_shapes[self._id] = graph.open_shapes[self._id].merge_with(shape)

    def ref(self) -> Reference:
        """A hashable object that refers to this tensor, for sets and keys of dicts."""
        return Reference(self)

    experimental_ref = ref

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        self._require_value(NotImplementedError, "There is no NumPy array")
        self._read()
        note(ReadOut, None, self._id, None, "np.asarray()")
        array = np.array(self._value, dtype=dtype, copy=copy or None).view()  # with flags of its own
        array.flags.writeable = bool(copy) or array.dtype != self._value.dtype  # a tensor never changes, a copy may
        return array

    def __float__(self) -> float:
        return float(self._scalar(float))

    def __int__(self) -> int:
        return int(self._scalar(int))

    def __complex__(self) -> complex:
        return complex(self._scalar(complex))

    def _scalar(self, kind: type[Any]) -> Any:
        if in_graph.get() is not None:
            if is_users(asker := sys._getframe(2)) and takes_number(asker):
                self._require_value(TypeError, "There is no number")
            self._require_value(TypeError, f"There is no {kind.__name__}()", rewritable=True)
        how = f"{kind.__name__}()"
        if self._value.size != 1 or self._value.shape:
            raise TypeError(self._no_scalar(how))
        self._read()
        note(ReadOut, None, self._id, None, how)
        return self._value

    def _no_scalar(self, how: str) -> str:
        """The message about a tensor with axes that is converted to a number."""
        return f"only 0-dimensional arrays can be converted to Python scalars, {how} got shape {self._value.shape}"

    def __bool__(self) -> bool:
        if in_graph.get() is not None:
            self._require_truth(sys._getframe(1))
        if self._value.size > 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all(), of a "
                f"tensor, here of shape {self._value.shape}, tf.reduce_any() or tf.reduce_all()."
            )
        self._read()
        note(ReadOut, None, self._id, None, TRUTH)
        return self._value.size == 1 and bool(self._value)

    def _require_truth(self, asker: FrameType) -> None:
        """Check, in a graph, the truth value that a frame asks for.

        Raises:
            OperatorNotAllowedInGraphError: the tensor is symbolic, and AutoGraph does not make an op of the condition.
            ValueError: it does, and the condition of the statement is no single truth value.
            InvalidArgumentError: the same for the condition of an expression.
        """
        users = is_users(asker)
        rewritable = not users or is_condition(asker)
        said = "There is no truth value"
        self._require_value(OperatorNotAllowedInGraphError, said, rewritable=rewritable)
        graph = in_graph.get()
        if users and rewritable and graph is not None and graph.rewritten and self._is_in(graph):
            require_condition(self, asked_by(asker), is_negated(asker), graph)

    def __len__(self) -> int:
        self._require_value(TypeError, "There is no len(), but there is x.shape,", rewritable=True)
        if not self._value.shape:
            raise self._without_length("A scalar tensor has no `len()`: it has no axis")
        return int(self._value.shape[0])

    def __iter__(self) -> Iterator[Any]:
        users, graph = False, in_graph.get()
        if graph is not None:
            asker = sys._getframe(1)
            said = "There is no iteration over the elements"
            users = is_users(asker)
            rewritable = not users or is_loop(asker)
            self._require_value(OperatorNotAllowedInGraphError, said, rewritable=rewritable, outside=users)
        if not self._value.shape:
            raise self._without_length("Cannot iterate over a scalar tensor, or unpack it: it has no axis.")
        parts: Iterator[Any] = (self[index] for index in range(self._value.shape[0]))
        if graph is None or not users:
            return parts
        return iterations(parts)

    def __hash__(self) -> int:
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    __array_priority__: float = 100

    if TYPE_CHECKING:  # attached by `engine.operators`
        __add__: Operator
        __radd__: Operator
        __sub__: Operator
        __rsub__: Operator
        __mul__: Operator
        __rmul__: Operator
        __truediv__: Operator
        __rtruediv__: Operator
        __floordiv__: Operator
        __rfloordiv__: Operator
        __mod__: Operator
        __rmod__: Operator
        __pow__: Operator
        __rpow__: Operator
        __matmul__: Operator
        __rmatmul__: Operator
        __lt__: Operator
        __le__: Operator
        __gt__: Operator
        __ge__: Operator
        __getitem__: Operator
        __neg__: Operator
        __abs__: Operator
        __invert__: Operator
