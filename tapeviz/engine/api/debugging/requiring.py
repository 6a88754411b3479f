"""Assertions on one tensor: its signs, its rank, its shape, its dtype, under TensorFlow's names."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from tapeviz.engine.api.arguments import tensor_of, together, value_of
from tapeviz.engine.api.debugging.assertions import COMPARED, before, check_numerics, elements
from tapeviz.engine.api.exports import export
from tapeviz.engine.specs.dtypes import DType, as_dtype
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.tracing.building import in_graph
from tapeviz.errors import InvalidArgumentError

_SIGNS = (
    ("assert_positive", operator.gt, "> 0 did not hold element-wise:\n"),
    ("assert_negative", operator.lt, "< 0 did not hold element-wise:\n"),
    ("assert_non_negative", operator.ge, ">= 0 did not hold element-wise:\n"),
    ("assert_non_positive", operator.le, "<= 0 did not hold element-wise:"),
)
"""TensorFlow's names, what holds of each number and 0, and what is said where it does not."""


def _signed(holds: Callable[[Any, Any], Any], said: str) -> Callable[..., None]:
    def function(x: Any, message: str | None = None, summarize: Any = None, name: str | None = None) -> None:
        tensor = tensor_of(x)
        if not tensor.dtype.is_numeric:
            raise TypeError(f"Cannot convert 0 to EagerTensor of dtype {tensor.dtype.name}")
        together(COMPARED[said.split()[0]], tensor, 0)
        if not np.all(holds(tensor._value, 0)):
            told = elements(tensor._value, summarize)
            shown = told if tensor.ndim else told[0]
            raise InvalidArgumentError(f"{before(message)}\nCondition x {said}{_kind(tensor)} = \n{shown}", at_run=True)

    return function


def _kind(tensor: Any) -> str:
    return f"x (shape={tensor.shape} dtype={tensor.dtype.name})"


for _name, _holds, _said in _SIGNS:
    _function = _signed(_holds, _said)
    _function.__doc__ = (
        f"Raise InvalidArgumentError unless x {_said.split(' did')[0]} everywhere, or if it is complex; "
        "TypeError if it holds no numbers."
    )
    export(f"debugging.{_name}")(_function)


def _ranked(x: Any, fits: Callable[[int], bool], wanted: str, message: str | None) -> None:
    tensor = tensor_of(x)
    if not fits(tensor.ndim):
        found = f"Received rank {tensor.ndim}, shape {tensor.shape}"
        raise ValueError(f"{before(message)}Tensor {_argument(tensor)} must have rank {wanted}.  {found}")


def _argument(tensor: TensorLike) -> str:
    """The name of a tensor in a graph, if it is an argument there, or nothing."""
    graph = in_graph.get()
    return "" if graph is None else graph.name_of(tensor._id) or ""


def _rank(rank: Any) -> int:
    """A rank as it is given.

    Raises:
        ValueError: no scalar.
        TypeError: no integer.
    """
    value = np.asarray(value_of(rank))
    if value.ndim:
        raise ValueError("Rank must be a scalar.")
    if value.dtype.kind not in "iu":
        raise TypeError(f"tensor must be of type tf.int32; got {tensor_of(rank).dtype!r}")
    return int(value)


@export("debugging.assert_rank", "assert_rank")
def assert_rank(x: Any, rank: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise ValueError unless a tensor has a rank."""
    wanted = _rank(rank)
    _ranked(x, lambda found: found == wanted, str(wanted), message)


@export("debugging.assert_rank_at_least")
def assert_rank_at_least(x: Any, rank: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise ValueError unless a tensor has a rank or a higher one."""
    wanted = _rank(rank)
    _ranked(x, lambda found: found >= wanted, f"at least {wanted}", message)


@export("debugging.assert_rank_in")
def assert_rank_in(x: Any, ranks: Iterable[Any], message: str | None = None, name: str | None = None) -> None:
    """Raise ValueError unless a tensor has one of several ranks."""
    wanted = tuple(map(_rank, ranks))
    _ranked(x, lambda found: found in wanted, f"in {wanted}", message)


@export("debugging.assert_scalar")
def assert_scalar(tensor: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise ValueError unless a tensor is a scalar."""
    found = tensor_of(tensor)
    if found.ndim:
        called = f" for {_argument(found)}" if _argument(found) else ""
        raise ValueError(f"{before(message)}Expected scalar shape{called}, saw shape: {found.shape}.")


@export("debugging.assert_type")
def assert_type(tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise TypeError unless a tensor has a dtype."""
    wanted, x = as_dtype(tf_type), tensor_of(tensor)
    found = x._dtype
    if found is not wanted:
        raise TypeError(f"{before(message)}{_argument(x) or 'tensor'} must be of type {wanted!r}; got {found!r}")


@export("debugging.assert_integer")
def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise TypeError unless a tensor holds integers."""
    found = tensor_of(x)
    if not found._dtype.is_integer:
        raise TypeError(
            f'{before(message)}Expected "x" to be integer type.  Found: {_argument(found) or "tensor"} of dtype '
            f"{found._dtype}"
        )


@export("debugging.assert_all_finite")
def assert_all_finite(x: Any, message: str, name: str | None = None) -> Any:
    """The tensor itself, if every number in it is finite.

    Raises:
        InvalidArgumentError: it holds NaN or infinity.
    """
    return check_numerics(x, message)


@export("debugging.is_numeric_tensor")
def is_numeric_tensor(tensor: Any) -> bool:
    """Whether something is a tensor of numbers; variables, arrays and truth values are not."""
    return isinstance(tensor, Tensor) and tensor.dtype.is_numeric


@export("debugging.assert_proper_iterable")
def assert_proper_iterable(values: Any) -> None:
    """Raise TypeError unless something can be gone over, and is no tensor, array or text."""
    if isinstance(values, (Tensor, np.ndarray, bytes, str)):
        raise TypeError(f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}')
    if not hasattr(values, "__iter__"):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


@export("debugging.assert_same_float_dtype")
def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> DType:
    """The one dtype of several tensors; float32 of none.

    Raises:
        ValueError: they differ from each other, or from `dtype`, or hold no floating numbers.
    """
    wanted, first = None if dtype is None else as_dtype(dtype), None
    for each in tensors or ():
        found = as_dtype(each.dtype)
        if wanted is not None and found is not wanted:
            like = f" as {first!s}" if first is not None else ""
            raise ValueError(f"{each!s}, type={found}, must be of the same type ({wanted}){like}.")
        wanted, first = found, each if first is None else first
    wanted = wanted or as_dtype("float32")
    if not wanted.is_floating:
        raise ValueError(f"Expected floating point type, got {wanted}.")
    return wanted


@export("debugging.assert_shapes")
def assert_shapes(
    shapes: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> None:
    """Raise ValueError unless tensors have shapes in which equal letters stand for equal lengths.

    Args:
        shapes: pairs of a tensor and a shape, or a dict of them. A length is a number, None or "." for any, or a
            letter; "*" or ... in front stands for any number of axes. A scalar is a vector of one number.
        message: what is said first in an error.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_shapes([(tf.ones([2, 3]), ("N", 3)), (tf.ones([2]), ("N",))])
    """
    lengths: dict[Any, tuple[int, str]] = {}
    for tensor, shape in shapes.items() if hasattr(shapes, "items") else shapes:
        x = tensor_of(tensor)
        called = f"Tensor {_argument(x) or f'shape={x.shape} dtype={x.dtype.name}'}"
        if not hasattr(shape, "__iter__") and not hasattr(shape, "__getitem__"):
            raise ValueError(
                f"{before(message)}{called}.  Specified shape must be an iterable.  An iterable has the attribute "
                f"`__iter__` or `__getitem__`.  Received specified shape: {shape}"
            )
        for axis, wanted in _axes(x, tuple(shape), called, message):
            length, explicit = (x.shape if x.ndim else (1,))[axis], _length(wanted)
            size, by = (
                lengths.setdefault(wanted, (length, f"by {called[0].lower()}{called[1:]} dimension {axis}"))
                if explicit is None
                else (explicit, "explicitly")
            )
            if size != length:
                raise ValueError(
                    f"{before(message)}Specified {by}.  {called} dimension {axis} must have size {size}.  "
                    f"Received size {length}, shape {x.shape}"
                )


def _length(wanted: Any) -> int | None:
    """The number that a length is, digits too; None of a letter."""
    try:
        return int(wanted)
    except (TypeError, ValueError):
        return None


def _axes(x: Any, shape: tuple[Any, ...], called: str, message: str | None) -> Iterator[tuple[int, Any]]:
    """The axes of a tensor for which a length is wanted, and that.

    Raises:
        ValueError: another rank, or "*" elsewhere than in front.
    """
    free = [i for i, each in enumerate(shape) if each in _MANY]
    if any(free):
        raise ValueError(
            f"{before(message)}{called} specified shape index {free[-1]}.  Symbol `...` or `*` for a variable number "
            "of unspecified dimensions is only allowed as the first entry"
        )
    if free:
        shape = shape[1:]
        if len(shape) > 1:
            assert_rank_at_least(x, len(shape), message)
        axes = range(-len(shape), 0)
    elif len(shape) < 2:
        assert_rank_in(x, (0, 1), message)
        shape = shape or (1,)
        axes = range(1)
    else:
        assert_rank(x, len(shape), message)
        axes = range(len(shape))
    return ((axis, wanted) for axis, wanted in zip(axes, shape, strict=True) if wanted not in (None, "."))


_MANY = (..., "*")
"""What stands for any number of axes."""
