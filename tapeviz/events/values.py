"""The value entry of a record -> the value as readers see it, its shape and dtype, and its bytes.

A value is a NumPy array or scalar, a framework's tensor that is `HeldTensor`, or a `Packed` summary. In the place of
one that is not kept stands its spec: a pair (shape, dtype), or for a NumPy scalar its type, which takes no memory; the
dtype may be a name, where NumPy has none such. A third entry says where the parts of a distributed tensor are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import cache
from operator import attrgetter
from typing import Any, TypeAlias

import numpy as np

from tapeviz.events.summaries import summarised
from tapeviz.events.summary import Packed, Summary, size_of

Spec: TypeAlias = type | tuple[tuple[int, ...], "np.dtype[Any] | str"] | tuple[tuple[int, ...], str, str]

spec: Callable[[Any], Spec] = attrgetter("shape", "dtype")
"""The shape and dtype of a value, at no call of Python's."""

SMALL = 64
"""Values of at most this many bytes stay, whatever the budget: their summary would be as large."""

OBJECT = 256
"""About how many bytes a framework's tensor takes beside its elements."""


class HeldTensor:
    """A framework's tensor in a log: by reference, turned into an array only when someone reads it.

    `dtype` is NumPy's name of the dtype, or the framework's where NumPy has none such; `nbytes` is what the tensor's
    elements take. One that was let go has what is `ReleasedTensor` of it for a `tensor`. Only the part of a distributed
    tensor has a `placement`; of all others it is None.
    """

    __slots__ = ("dtype", "nbytes", "placement", "shape", "tensor")
    placement: str | None

    def __init__(self, tensor: Any, shape: tuple[int, ...], dtype: str, nbytes: int) -> None:
        self.tensor = tensor
        self.shape = shape
        self.dtype = dtype
        self.nbytes = nbytes
        self.placement = None

    def read(self) -> Any:
        """The tensor's elements as an array; None where they are not what they were."""
        raise NotImplementedError

    def summarised(self) -> Any:
        """What stays of the tensor when the log must let it go.

        A `Summary` where the elements are in this machine's own memory; else a spec, since to bring them there would
        cost much.
        """
        array = self.read() if self.is_near else None
        return (self.shape, self.dtype) if array is None else Summary.of(array, self.shape)

    @property
    def is_near(self) -> bool:
        """Whether the elements are in this machine's own memory, and NumPy has their dtype."""
        return False

    @property
    def cost(self) -> int:
        """The bytes that it counts against a log's budget: of its elements and of what holds them; 0 once let go."""
        return 0 if type(self.tensor) is ReleasedTensor else self.nbytes + OBJECT

    def let_go(self) -> Any:
        """Hold the elements no longer, whichever records the value is in; what stays of them."""
        if type(self.tensor) is not ReleasedTensor:
            self.tensor = ReleasedTensor(self._left())
        return self.tensor.value

    def left(self) -> Any:
        """What stands in a record of one that is let go: that alone, or what has the placement beside it."""
        value = self.tensor.value if type(self.tensor) is ReleasedTensor else self.let_go()
        return value if self.placement is None else self

    @classmethod
    def let_go_of(cls, held: Sequence[Any]) -> None:
        """The same of several of this kind, which may take less time than of one after the other."""
        for each in held:
            each.let_go()

    @classmethod
    def norms(cls, held: Sequence[Any]) -> list[float | None]:
        """The norms of several of this kind; None of one whose numbers are not known.

        One that is not finite says that an element is not, or that the squares are too large for its framework.
        """
        return [size_of(readable(each)) for each in held]

    @classmethod
    def settle(cls, held: Sequence[Any]) -> list[Any]:
        """Hold the elements of several no longer, but their statistics, as far as there are any; what stays of each."""
        known = [each for each in held if each.nbytes > SMALL and type(each.tensor) is not ReleasedTensor]
        if known:
            for each, found in zip(known, cls.statistics(known), strict=True):
                spec = each.shape, each.dtype  # which some do not know without their tensor
                each.tensor = ReleasedTensor(spec if found is None else found)
        return [each.left() for each in held]

    @classmethod
    def statistics(cls, held: Sequence[Any]) -> list[Packed | None]:
        """The statistics of several of this kind; None of one whose numbers are not known, or are not near."""
        arrays = [each.read() if each.is_near else None for each in held]
        known = iter(summarised([each for each in arrays if each is not None]))
        return [None if each is None else next(known) for each in arrays]

    def _left(self) -> Any:
        if self.nbytes <= SMALL and self.is_near:
            array = self.read()
            if array is not None:
                return array[()] if array.shape == () and array.dtype.kind in "biufc" else np.array(array)
        left = self.summarised()
        return Packed.of(left) if isinstance(left, Summary) else left


class ReleasedTensor:
    """What stays of a framework's tensor that was let go: a copy of a small one, a `Packed` summary or a spec."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def readable(value: Any) -> Any:
    """A value as readers get it: of shape () a scalar of NumPy's, of a dtype that NumPy has not one that holds it."""
    if isinstance(value, HeldTensor):
        value = value.read() if type(value.tensor) is not ReleasedTensor else value.let_go()
        value = value if is_value(value) else None
    if type(value) is Packed:
        return value.summary
    if not isinstance(value, (np.ndarray, np.generic)):
        return value
    if value.dtype.kind == "V":  # bfloat16, float8_e4m3fn, int4
        value = value.astype(np.int8 if "int" in value.dtype.name else np.float32)
    return value[()] if isinstance(value, np.ndarray) and not value.ndim else value


def spec_of(value: Any) -> Spec:
    """The shape and dtype of a value, as small as can be."""
    return spec(value) if type(value) is np.ndarray or isinstance(value, HeldTensor) else type(value)


def read_spec(value: Any) -> tuple[tuple[int, ...], str]:
    """Shape and dtype name of a value or of a spec.

    >>> read_spec(np.float32), read_spec(np.zeros((2, 3)))
    (((), 'float32'), ((2, 3), 'float64'))
    """
    if isinstance(value, type):
        return (), _dtype_name(np.dtype(value))
    if type(value) is Packed:
        return value.spec
    shape, dtype = value[:2] if type(value) is tuple else (tuple(value.shape), value.dtype)
    return shape, dtype if type(dtype) is str else _dtype_name(np.dtype(dtype))


def placement_of(value: Any) -> str | None:
    """How the processes, or devices, hold the tensor that a value or a spec is this one's part of; None of any other.

    >>> placement_of(((2, 3), "float32", "Shard(0)")), placement_of(((2, 3), "float32"))
    ('Shard(0)', None)
    """
    if type(value) is tuple:
        return value[2] if len(value) > 2 else None
    return value.placement if isinstance(value, HeldTensor) else None


@cache
def _dtype_name(dtype: np.dtype[Any]) -> str:
    return "string" if dtype.kind in "OUS" else dtype.name


@cache
def itemsize(dtype: str) -> int:
    """The bytes that one element of a named dtype takes; 0 where that is not known.

    >>> itemsize("float64"), itemsize("bfloat16"), itemsize("string")
    (8, 2, 0)
    """
    bits = re.fullmatch(r"[a-z]+?(\d{1,4})(_\w+)?", dtype)
    try:
        return np.dtype(dtype).itemsize if dtype != "string" else 0
    except (TypeError, ValueError, SyntaxError):  # a dtype that NumPy does not have, as bfloat16 or float8_e4m3fn
        return int(bits[1]) // 8 if bits else 0


def bytes_of(shape: tuple[int, ...], dtype: str) -> int:
    """The bytes that the elements of a tensor take; 0 where that is not known."""
    return math.prod(shape) * itemsize(dtype)


def is_value(value: Any) -> bool:
    """Whether an entry holds a value rather than its spec."""
    return not isinstance(value, (type, tuple))
