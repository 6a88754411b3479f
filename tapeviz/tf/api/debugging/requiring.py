"""Assertions on one tensor: its signs, its rank, its dtype, under TensorFlow's names."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import tensor_of, together, value_of
from tapeviz.engine.functions.exports import export
from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.engine.specs.dtypes import DType, as_dtype
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.errors import InvalidArgumentError
from tapeviz.tf.api.debugging.assertions import COMPARED, before, check_numerics, elements

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
            raise TypeError(f"Cannot convert 0 to a tensor of dtype {tensor.dtype.name}")
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
    _function.__doc__ = f"""Check that `x {_said.split(" did")[0]}` holds for all elements.

    Args:
        x: a tensor of real numbers, or what can become one.
        message: what the error begins with.
        summarize: how many elements the error shows.

    Raises:
        InvalidArgumentError: it does not hold, or `x` is complex.
        TypeError: `x` has no numbers.
    """
    export(f"debugging.{_name}")(_function)


def _ranked(x: Any, fits: Callable[[int], bool], wanted: str, message: str | None) -> None:
    tensor = tensor_of(x)
    if not fits(tensor.ndim):
        found = f"Received rank {tensor.ndim}, shape {tensor.shape}"
        raise ValueError(f"{before(message)}Tensor {name_of_argument(tensor)} must have rank {wanted}.  {found}")


def name_of_argument(tensor: TensorLike) -> str:
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
        raise ValueError("The rank in an assert_rank must be one number: assert_rank_in takes several.")
    if value.dtype.kind not in "iu":
        raise TypeError(f"tensor must be of type tf.int32; got {tensor_of(rank).dtype!r}")
    return int(value)


@export("debugging.assert_rank", "assert_rank")
def assert_rank(x: Any, rank: Any, message: str | None = None, name: str | None = None) -> None:
    """Check the rank of a tensor.

    Args:
        x: a tensor, or what can become one.
        rank: the expected rank.
        message: what the error begins with.

    Raises:
        ValueError: another rank.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_rank([1, 2], 1)
    """
    wanted = _rank(rank)
    _ranked(x, lambda found: found == wanted, str(wanted), message)


@export("debugging.assert_rank_at_least")
def assert_rank_at_least(x: Any, rank: Any, message: str | None = None, name: str | None = None) -> None:
    """Check that a tensor has a minimum rank.

    Args:
        x: a tensor, or what can become one.
        rank: the smallest allowed rank.
        message: what the error begins with.

    Raises:
        ValueError: a lower rank.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_rank_at_least([[1, 2]], 1)
    """
    wanted = _rank(rank)
    _ranked(x, lambda found: found >= wanted, f"at least {wanted}", message)


@export("debugging.assert_rank_in")
def assert_rank_in(x: Any, ranks: Iterable[Any], message: str | None = None, name: str | None = None) -> None:
    """Check that a tensor has one of several ranks.

    Args:
        x: a tensor, or what can become one.
        ranks: the allowed ranks.
        message: what the error begins with.

    Raises:
        ValueError: another rank.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_rank_in([1, 2], (0, 1))
    """
    wanted = tuple(map(_rank, ranks))
    _ranked(x, lambda found: found in wanted, f"in {wanted}", message)


@export("debugging.assert_scalar")
def assert_scalar(tensor: Any, message: str | None = None, name: str | None = None) -> None:
    """Check that a tensor is a scalar.

    Args:
        tensor: a tensor, or what can become one.
        message: what the error begins with.

    Raises:
        ValueError: it has axes.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_scalar(1.0)
    """
    found = tensor_of(tensor)
    if found.ndim:
        called = f" for {name_of_argument(found)}" if name_of_argument(found) else ""
        raise ValueError(f"{before(message)}Expected scalar shape{called}, saw shape: {found.shape}.")


@export("debugging.assert_type")
def assert_type(tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None) -> None:
    """Check the dtype of a tensor.

    Args:
        tensor: a tensor, or what can become one.
        tf_type: the expected dtype.
        message: what the error begins with.

    Raises:
        TypeError: another dtype.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_type(1.0, tf.float32)
    """
    wanted, x = as_dtype(tf_type), tensor_of(tensor)
    found = x._dtype
    if found is not wanted:
        raise TypeError(f"{before(message)}{name_of_argument(x) or 'tensor'} must be of type {wanted!r}; got {found!r}")


@export("debugging.assert_integer")
def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> None:
    """Check that a tensor has an integer dtype.

    Args:
        x: a tensor, or what can become one.
        message: what the error begins with.

    Raises:
        TypeError: another dtype.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_integer([1, 2])
    """
    found = tensor_of(x)
    if not found._dtype.is_integer:
        raise TypeError(
            f'{before(message)}Expected "x" to be integer type.  Found: {name_of_argument(found) or "tensor"} of dtype '
            f"{found._dtype}"
        )


@export("debugging.assert_all_finite")
def assert_all_finite(x: Any, message: str, name: str | None = None) -> Any:
    """The same tensor, after a check that it has no NaN and no infinity.

    Args:
        x: a tensor of floats, or what can become one.
        message: what the error begins with.

    Raises:
        InvalidArgumentError: it has one.

    >>> import tapeviz as tf
    >>> float(tf.debugging.assert_all_finite(1.0, "x"))
    1.0
    """
    return check_numerics(x, message)


@export("debugging.is_numeric_tensor")
def is_numeric_tensor(tensor: Any) -> bool:
    """Whether an object is a tensor of numbers. Variables, arrays and tensors of booleans or strings are not.

    >>> import tapeviz as tf
    >>> tf.debugging.is_numeric_tensor(tf.constant(1.0))
    True
    """
    return isinstance(tensor, Tensor) and tensor.dtype.is_numeric


@export("debugging.assert_proper_iterable")
def assert_proper_iterable(values: Any) -> None:
    """Check that an object can be iterated over, and is not a tensor, an array or a string.

    Raises:
        TypeError: it cannot, or is one of these.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_proper_iterable([1, 2])
    """
    if isinstance(values, (Tensor, np.ndarray, bytes, str)):
        raise TypeError(f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}')
    if not hasattr(values, "__iter__"):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


@export("debugging.assert_same_float_dtype")
def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> DType:
    """The dtype of several tensors, after a check that it is the same floating one for all of them.

    Args:
        tensors: a list of tensors.
        dtype: the expected dtype, if there is one.

    Returns:
        The dtype; float32 if neither is given.

    Raises:
        ValueError: the dtypes differ, or are not floating ones.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_same_float_dtype([tf.constant(1.0), tf.constant(2.0)])
    tf.float32
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
