"""TensorFlow's dtype objects over NumPy's dtypes: same names, same repr, same equality."""

from __future__ import annotations

from numbers import Number
from typing import Any, TypeAlias

import numpy as np

from tapeviz.phrases import not_installed

try:
    import ml_dtypes
except ModuleNotFoundError:  # as where Python runs in a browser
    ml_dtypes = None  # type: ignore[assignment]

Array: TypeAlias = np.ndarray[Any, Any]
"""An array of any shape and dtype."""


class DType:
    """The dtype of a tensor, as `tf.DType`.

    >>> import tapeviz as tf
    >>> tf.float32, str(tf.float32), tf.float32 == "float32", tf.float32.as_numpy_dtype
    (tf.float32, "<dtype: 'float32'>", True, <class 'numpy.float32'>)
    """

    __slots__ = ("_numpy", "name")

    def __init__(self, name: str, numpy_type: Any) -> None:
        self.name = name
        self._numpy = np.dtype(numpy_type)

    @property
    def as_numpy_dtype(self) -> type:
        """The NumPy scalar class (`object` for strings)."""
        return self._numpy.type if self.name != "string" else object

    @property
    def is_floating(self) -> bool:
        return self._numpy.kind in FLOATING

    @property
    def is_complex(self) -> bool:
        return self._numpy.kind == "c"

    @property
    def is_integer(self) -> bool:
        return self._numpy.kind in "iu"

    @property
    def is_quantized(self) -> bool:
        """False: there are no quantized dtypes here."""
        return False

    @property
    def is_unsigned(self) -> bool:
        return self._numpy.kind == "u"

    @property
    def is_numeric(self) -> bool:
        """Whether its elements are numbers: not booleans, and not strings."""
        return self.is_floating or self.is_integer or self.is_complex

    @property
    def is_numpy_compatible(self) -> bool:
        """Whether there are NumPy arrays of it: True for all."""
        return True

    @property
    def is_bool(self) -> bool:
        return self._numpy.kind == "b"

    @property
    def size(self) -> int:
        """Bytes per element; 0 for strings, which have no fixed size."""
        return self._numpy.itemsize if self.name != "string" else 0

    @property
    def as_datatype_enum(self) -> int:
        """Its number in TensorFlow's protocol buffers."""
        return _ENUM[self.name]

    @property
    def min(self) -> Any:
        """The smallest finite number of this dtype."""
        return self._range("minimum").min

    @property
    def max(self) -> Any:
        """The largest finite number of this dtype."""
        return self._range("maximum").max

    def _range(self, end: str) -> Any:
        if not (self.is_integer or self.is_floating):
            raise TypeError(
                f"The dtype {self.name} has no {end}, as saturate_cast needs: integers and floats have one."
            )
        return limits_of(self._numpy)

    @property
    def limits(self) -> tuple[int, Any]:
        """The lowest and the highest value in an image of this dtype: 0, and 1 for floats.

        Raises:
            ValueError: there are no images of it.
        """
        if self.is_integer:
            return 0, self.max
        if self.name not in ("float32", "float64", "bool"):
            raise ValueError(f"{self} does not have defined limits.")
        return 0, self.is_bool or 1

    @property
    def base_dtype(self) -> DType:
        return self

    @property
    def real_dtype(self) -> DType:
        """The dtype of the real part."""
        return of_numpy(np.empty(0, self._numpy).real.dtype)

    def is_compatible_with(self, other: object) -> bool:
        """Whether it is the same dtype."""
        return self is as_dtype(other)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, DType):
            return self is other
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __hash__(self) -> int:
        return _ENUM[self.name]

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        """There is one object for each dtype: a copy, or an unpickled one, is the same object."""
        return as_dtype, (self.name,)

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"


class DTypeWithoutNumbers(DType):
    """A dtype whose numbers NumPy leaves to ml_dtypes, which is not installed: it has a name, and nothing else."""

    __slots__ = ()

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def _numpy(self) -> np.dtype[Any]:
        raise ModuleNotFoundError(not_installed(f"The numbers of {self.name} are those of", "ml_dtypes"))


float16 = DType("float16", np.float16)
float32 = DType("float32", np.float32)
float64 = DType("float64", np.float64)
complex64 = DType("complex64", np.complex64)
complex128 = DType("complex128", np.complex128)
int8 = DType("int8", np.int8)
int16 = DType("int16", np.int16)
int32 = DType("int32", np.int32)
int64 = DType("int64", np.int64)
uint8 = DType("uint8", np.uint8)
uint16 = DType("uint16", np.uint16)
uint32 = DType("uint32", np.uint32)
uint64 = DType("uint64", np.uint64)
bool_ = DType("bool", np.bool_)
string = DType("string", object)
bfloat16 = DType("bfloat16", ml_dtypes.bfloat16) if ml_dtypes else DTypeWithoutNumbers("bfloat16")

DTYPES = {
    each.name: each
    for each in (
        float16, float32, float64, complex64, complex128,
        int8, int16, int32, int64, uint8, uint16, uint32, uint64, bool_, string, bfloat16,
    )
}  # fmt: skip
_ENUM = {
    "float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "string": 7, "complex64": 8, "int64": 9,
    "bool": 10, "bfloat16": 14, "uint16": 17, "complex128": 18, "float16": 19, "uint32": 22, "uint64": 23,
}  # fmt: skip
_BY_ENUM: dict[Any, DType] = {number: DTYPES[name] for name, number in _ENUM.items()}
ALIASES = {"half": float16, "double": float64}
BFLOAT16: np.dtype[Any] = bfloat16._numpy if ml_dtypes else np.dtype([("bfloat16", np.uint16)])
"""NumPy's dtype of bfloat16; without ml_dtypes one that no array has."""
BY_NAME = {name: BFLOAT16 if each is bfloat16 else each._numpy for name, each in DTYPES.items()}
"""The dtypes of NumPy."""
_BY_NUMPY = {dtype: DTYPES[name] for name, dtype in BY_NAME.items()}
finfo: Any = ml_dtypes.finfo if ml_dtypes else np.finfo
"""NumPy's `finfo`, which knows bfloat16."""
OF_ONEDNN = frozenset((BFLOAT16, float32._numpy))
"""The dtypes whose matrices and windows TensorFlow leaves to oneDNN on a CPU."""
FLOATING = "fV"
"""The kinds of NumPy dtypes of real numbers with fractions; bfloat16, which is not NumPy's own, is of kind V."""
DIFFERENTIABLE = FLOATING + "c"
"""The kinds of NumPy dtypes a gradient can belong to."""


def limits_of(dtype: np.dtype[Any]) -> Any:
    """An object with the lowest and the highest finite number of a dtype, as `min` and `max`."""
    return np.iinfo(dtype) if dtype.kind in "iu" else finfo(dtype)


_NO_DTYPES = (int, str, complex, bytes, type(None))
"""What NumPy converts to a dtype, and TensorFlow does not."""
_OBJECTS = (object, np.object_)


def as_dtype(type_value: Any) -> DType:
    """The `DType` of a name, a NumPy dtype or class, a number of TensorFlow's enumeration, or a `DType`.

    For an object with an attribute `dtype`, such as an array or a layer, it is that.

    Raises:
        TypeError: tapeviz has no such dtype.
    """
    if isinstance(type_value, DType):
        return type_value
    if isinstance(type_value, str) and (type_value in DTYPES or type_value in ALIASES):
        return DTYPES.get(type_value) or ALIASES[type_value]
    if isinstance(type_value, Number) and type_value in _BY_ENUM:  # 1.0 and True are 1
        return _BY_ENUM[type_value]
    if type_value is float or (isinstance(type_value, str) and type_value == "float"):
        return float32
    try:
        named = type_value if isinstance(type_value, type) else getattr(type_value, "dtype", type_value)
        dtype = None if isinstance(type_value, (str, bytes)) else np.dtype(named)
    except (TypeError, ValueError):
        dtype = None
    if isinstance(type_value, type) and dtype is not None and dtype.kind == "O" and type_value not in _OBJECTS:
        dtype = None  # NumPy converts any class to the dtype of objects
    found = None if dtype is None else _known(dtype)
    if found is None or type_value is None or any(type_value is each for each in _NO_DTYPES):
        advice = f"Use one of {', '.join(DTYPES)}."
        raise TypeError(f"Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType. {advice}")
    return found


def of_numpy(dtype: np.dtype[Any]) -> DType:
    """The `DType` of a NumPy dtype; every kind of text and bytes is `string`."""
    found = _known(dtype)
    if found is None:
        raise TypeError(f"NumPy's dtype {dtype} has no counterpart among {', '.join(DTYPES)}.")
    return found


def _known(dtype: np.dtype[Any]) -> DType | None:
    if dtype.kind in "OUS":
        return string
    return _BY_NUMPY.get(dtype) or _BY_NUMPY.get(dtype.newbyteorder("="))


def is_complex(x: Any) -> bool:
    """Whether an array or a tensor holds complex numbers."""
    dtype = x.dtype
    return bool(dtype.kind == "c" if isinstance(dtype, np.dtype) else dtype.is_complex)
