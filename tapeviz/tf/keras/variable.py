"""The weights of layers: variables with a path, which take any value that can be cast to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Any, cast

import numpy as np

from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.engine.op_errors.conversions import not_convertible
from tapeviz.engine.op_errors.reasons import incompatible_shapes
from tapeviz.engine.setting import Setting
from tapeviz.engine.specs.dtypes import DType, as_dtype
from tapeviz.engine.tensors.missing_attributes import Absent
from tapeviz.engine.tensors.mutable import MutableTensor
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.tensors.variable import Variable as EngineVariable
from tapeviz.engine.tensors.variable import VariableView
from tapeviz.engine.values.convert import array_of, unboxed
from tapeviz.errors import InvalidArgumentError
from tapeviz.tf.keras import initializers, naming
from tapeviz.tf.keras.dtype_policy import standard_dtype
from tapeviz.tf.keras.floats import floatx
from tapeviz.tf.random_state import counting


class DTypeName(str):
    """The name of a dtype, as Keras has it in place of the dtype. It has the attributes of the dtype as well.

    >>> DTypeName("float32"), DTypeName("float32").is_floating
    ('float32', True)
    """

    __slots__ = ()

    def __getattr__(self, attribute: str) -> Any:
        return getattr(as_dtype(str(self)), attribute)


class Variable(MutableTensor):
    """A variable of a layer, an optimizer or a metric (`tf.keras.Variable`).

    Args:
        initializer: an initializer, its name, or a value.
        shape: the shape, for an initializer.
        dtype: the dtype; by default that of the value, or float32.
        trainable: whether tapes watch it when it is read, and whether optimizers change it. Setting it later changes
            only the latter.
        autocast: ignored, as are `aggregation` and `synchronization`.
        name: its name, the last part of its path.

    Raises:
        ValueError: an initializer without a shape, or a name with a slash.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
    >>> y = layer(tf.zeros([1, 2]))
    >>> layer.kernel.name, layer.kernel.shape
    ('kernel', TensorShape([2, 1]))
    """

    __slots__ = ("_name", "path", "regularizer")

    _native = False  # as in Keras 3, whose variables are no `tf.Variable`
    __array_priority__ = -1e6  # what NumPy takes for none: an array or number of its own on the left does the work

    def __init__(
        self,
        initializer: Any,
        shape: Any = None,
        dtype: Any = None,
        trainable: bool = True,
        autocast: bool = True,
        aggregation: str = "none",
        synchronization: str = "auto",
        name: str | None = None,
    ) -> None:
        self._name = naming.unique("variable") if name is None else naming.checked(name)
        self.path = naming.below(self._name)
        if isinstance(initializer, str) or (callable(initializer) and not isinstance(initializer, TensorLike)):
            if shape is None:
                raise ValueError(
                    "When creating a Variable from an initializer, the `shape` argument should be specified. "
                    f"Received: initializer={initializer} and shape={shape}, for variable path={self.path!r}."
                )
            with Setting(counting, True):  # a layer that is tried keeps the weights that it makes
                value = _filled(initializer, self._lengths(shape), standard_dtype(dtype or floatx()))
        else:
            value = array_of(initializer)
            value = value if dtype is None else _cast(value, standard_dtype(dtype).as_numpy_dtype)
        super().__init__(value, bool(trainable), self.path)
        self.regularizer: Callable[[Any], Any] | None = None
        self.aggregation, self.synchronization = aggregation, synchronization

    def _lengths(self, shape: Any) -> tuple[int, ...]:
        """A shape in which every length is known.

        Raises:
            ValueError: it is no shape, or one of them is None, or no number.
        """
        if not hasattr(shape, "__iter__"):
            raise ValueError(f"Cannot convert '{shape}' to a shape.")
        lengths = tuple(shape)
        if not all(hasattr(each, "__index__") for each in lengths):
            raise ValueError(
                "Shapes used to initialize variables must be fully-defined (no `None` dimensions). "
                f"Received: shape={lengths} for variable path={self.path!r}"
            )
        return lengths

    def __reduce__(self) -> tuple[Any, ...]:
        told = ("path", "_label", "_self_watched", "regularizer", "constraint", "aggregation", "synchronization")
        rest = {name: getattr(self, name) for name in told}
        return partial(type(self), np.array(self._value), trainable=self.trainable, name=self._name), (), (None, rest)

    @property
    def name(self) -> str:
        return self._name

    @property
    def trainable(self) -> bool:
        """Whether optimizers change it."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._trainable = bool(value)

    @property
    def dtype(self) -> Any:
        """The name of its dtype."""
        return DTypeName(self._value.dtype.name)

    @property
    def value(self) -> VariableView:  # type: ignore[override]
        """The `tf.Variable` with its value. It is the same object every time."""
        view: VariableView | None = self.__dict__.get("_view")
        if view is None:
            view = self.__dict__["_view"] = _Value(self)
        return view

    _watched = value

    def __iter__(self) -> Iterator[Any]:
        """Its rows, without an end: Keras has no iteration, and Python asks for the row behind the last one too.

        Raises:
            InvalidArgumentError: when the row behind the last one is asked for.
        """
        return map(self.__getitem__, count())

    def _written(self, source: Any, value: Any, how: str) -> Any:
        """What an assignment to a part of it returns, after it: TensorFlow's variable."""
        return self.value._written(source, value, how)

    def assign(self, value: Any) -> Any:
        """Set the value, which is cast to the dtype of the variable, and return it.

        Raises:
            ValueError: another shape.
        """
        array = self._fitting(value)
        self._require_own(array.shape)
        self._write(value, array, "assign")
        return Tensor._new(array)

    def assign_add(self, value: Any) -> Any:
        """Add to the value, and return the sum.

        Raises:
            InvalidArgumentError: the shapes do not fit.
            ValueError: the sum has another shape.
        """
        self._write(value, self._value + self._change(value, "assign_add"), "assign_add")
        return Tensor._new(self._value)

    def assign_sub(self, value: Any) -> Any:
        """Subtract from the value, and return the difference."""
        self._write(value, self._value - self._change(value, "assign_sub"), "assign_sub")
        return Tensor._new(self._value)

    def __iadd__(self, other: Any) -> Any:  # type: ignore[misc]
        return self + other

    def __isub__(self, other: Any) -> Any:  # type: ignore[misc]
        return self - other

    def __imul__(self, other: Any) -> Any:  # type: ignore[misc]
        return self * other

    def __itruediv__(self, other: Any) -> Any:  # type: ignore[misc]
        return self / other

    def __pos__(self) -> VariableView:
        return self.value

    def __round__(self, ndigits: int | None = None) -> Any:
        """The value to so many decimals, as a tensor."""
        if not ndigits or self.dtype.is_integer:
            return tf["round"](self)
        return tf["round"](self * 10**ndigits) / 10**ndigits

    def __len__(self) -> int:
        raise TypeError("object of type 'Variable' has no len(): use variable.shape[0].")

    def __hash__(self) -> int:
        raise TypeError("unhashable type: 'Variable'. Use its path, or id(variable), as the key.")

    def _no_scalar(self, how: str) -> str:
        return f"Only scalar arrays can be converted to Python scalars. Got: shape={self._value.shape}"

    def __bool__(self) -> bool:
        raise TypeError("A variable of Keras has no truth value, no bool: compare it with a number.")

    def _fitting(self, value: Any) -> Any:
        return _cast(array_of(value), self._value.dtype)

    def _change(self, delta: Any, how: str) -> Any:
        """What is added or subtracted: anything that leaves the shape as it is."""
        array, own = self._fitting(delta), self._value.shape
        if array.shape in ((), own):
            return array
        try:
            changed = np.broadcast_shapes(own, array.shape)
        except ValueError:
            raise InvalidArgumentError(f"{incompatible_shapes(own, array.shape)}. In {how} of {self!r}.") from None
        self._require_own(changed)
        return array

    def _require_own(self, shape: tuple[int, ...]) -> None:
        if shape != self._value.shape:
            raise ValueError(
                "The shape of the target variable and the shape of the target value in `variable.assign(value)` must "
                f"match. variable.shape={self.shape}, Received: value.shape={shape}. Target variable: {self!r}"
            )

    def __repr__(self) -> str:
        text = f"{np.asarray(self._value)}"
        return f"<Variable path={self.path}, shape={self.shape}, dtype={self.dtype.name}, value={text}>"


for _name in ("read_value", "is_initialized", "ref", "experimental_ref", "device", "get_shape", "set_shape"):
    _inside = f"Keras 3's variables have it not: `variable.value.{_name}` is that of the `tf.Variable` inside."
    setattr(Variable, _name, Absent(_name, _inside))


class _Value(VariableView):
    """A variable of Keras as a `tf.Variable`, whose name is its path."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return f"{cast(Variable, self._behind).path}:0"

    @property
    def trainable(self) -> bool:
        """Whether tapes watch it. It stays as it was at first, whatever its layer is set to later."""
        return self._self_watched

    def __reduce__(self) -> tuple[Any, ...]:
        name = self.name.removesuffix(":0")
        return partial(EngineVariable, np.array(self._value), trainable=self.trainable, name=name), ()


def _cast(array: Any, dtype: Any) -> Any:
    if array.dtype.kind == "O":
        raise not_convertible(array.item(0).decode(), dtype, "A text is no number")
    return array if array.dtype == dtype else unboxed(array.astype(dtype))


def _filled(initializer: str | Callable[..., Any], shape: tuple[int, ...], dtype: DType) -> Any:
    """The array that an initializer fills a weight with."""
    found = initializers.get(initializer)
    if getattr(type(found), "__call__", None) is initializers.Initializer.__call__:  # noqa: B004
        return found._fill_(shape, dtype)
    return array_of(found(shape, dtype=dtype.name), dtype)
