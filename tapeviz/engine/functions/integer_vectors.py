"""Vectors of integers among the arguments, such as shapes -> tuples of ints, as TensorFlow converts them."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.arguments import rank_of
from tapeviz.engine.functions.integers import INT32, integers_of
from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.errors import InvalidArgumentError


def ints_of(
    values: object,
    *others: object,
    attr: str = ".Tshape",
    hint: object = INT32,
    strict: bool | None = None,
    otherwise: str = "",
) -> tuple[int, ...]:
    """A tuple of ints from a shape, a list, an array, a tensor or a number, by `integers_of`.

    Raises:
        InvalidArgumentError: a matrix. `otherwise` is the text, with fields for its `shape` and `rank`. Or as
            for `integers_of`.
    """
    if type(values) is int:
        return (values,)
    if isinstance(values, (list, tuple)) and all(type(each) is int for each in values):
        return tuple(values)
    array = integers_of(values, attr, *others, hint=hint, strict=strict)
    if array.ndim > 1:
        said = (otherwise or "no matrix, of shape {shape}").format(shape=listed(array.shape), rank=array.ndim)
        raise InvalidArgumentError(f"{said}: a vector of integers is expected, got {values!r}.")
    return tuple(array.reshape(-1).tolist())


NO_SHAPE = "shape must be a vector of {{int32,int64}}, got shape {shape}"
"""The message about a shape that is no vector."""


def shape_of(dims: Any, *others: Any, at_run: bool = False, **reading: Any) -> tuple[int, ...]:
    """The shape of a new tensor, by `ints_of`.

    Args:
        dims: the lengths.
        others: the other inputs of the op.
        at_run: whether a negative length is found only when a graph runs, not while it is built.
        reading: further arguments of `ints_of`.

    Raises:
        InvalidArgumentError: a length is negative; or as for `ints_of`.
    """
    shape = ints_of(dims, *others, **reading)
    negative = next((length for length in shape if length < 0), None)
    if negative is not None:
        raise InvalidArgumentError(f"Dimension {negative} must be >= 0, got the shape {shape}.", at_run=at_run)
    return shape


def require_vector_in_graph(values: object) -> None:
    """Check that a shape is a vector while a graph is built. Eagerly, TensorFlow's kernels read a scalar as a vector.

    Raises:
        ValueError: it is a scalar, and a graph is being built.
    """
    if in_graph.get() is not None and not rank_of(values):
        raise ValueError(f"Shape must be rank 1 but is rank 0: a vector is expected, got {values!r}: write [{values}].")


def vector_of(values: Any, otherwise: str, *others: Any, **reading: Any) -> tuple[int, ...]:
    """The ints of an input that must be a vector, by `ints_of`.

    Raises:
        InvalidArgumentError: it is a scalar or a matrix. `otherwise` is the text.
    """
    found = ints_of(values, *others, otherwise=otherwise, **reading)
    if not rank_of(values):
        said = otherwise.format(shape="[]", rank=0)
        raise InvalidArgumentError(f"{said}: a vector is expected, got {values!r}: write [{values}].")
    return found
