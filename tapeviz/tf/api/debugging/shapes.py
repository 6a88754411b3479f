"""The shapes that several tensors must have, with letters for equal lengths, under TensorFlow's names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.functions.exports import export
from tapeviz.tf.api.debugging.assertions import before
from tapeviz.tf.api.debugging.requiring import (
    assert_rank,
    assert_rank_at_least,
    assert_rank_in,
    name_of_argument,
)


@export("debugging.assert_shapes")
def assert_shapes(
    shapes: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> None:
    """Check the shapes of tensors, in which the same letter stands for the same length.

    Args:
        shapes: pairs of a tensor and its shape, or a dict of them. A length is a number, a letter, or None or "." for
            any length. "*" or ... at the beginning stands for any number of axes. A scalar counts as a vector of one
            element.
        data: ignored, as is `summarize`.
        message: what the error begins with.

    Raises:
        ValueError: a shape does not fit, or its specification is malformed.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_shapes([(tf.ones([2, 3]), ("N", 3)), (tf.ones([2]), ("N",))])
    """
    lengths: dict[Any, tuple[int, str]] = {}
    for tensor, shape in shapes.items() if hasattr(shapes, "items") else shapes:
        x = tensor_of(tensor)
        called = f"Tensor {name_of_argument(x) or f'shape={x.shape} dtype={x.dtype.name}'}"
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
