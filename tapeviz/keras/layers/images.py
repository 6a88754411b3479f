"""What layers on images are told: where the channels are, and which windows go over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def data_format(given: str | None) -> str:
    """Where the channels are: last, unless told.

    Raises:
        ValueError: no such place.
    """
    if given not in (None, "channels_last", "channels_first"):
        raise ValueError(
            "The `data_format` argument must be one of 'channels_first', 'channels_last'. "
            f"Received: data_format={given}"
        )
    return given or "channels_last"


def layout(data_format: str) -> str:
    """The same in the words of `tf.nn`.

    >>> layout("channels_first")
    'NCHW'
    """
    return "NHWC" if data_format == "channels_last" else "NCHW"


def parted(shape: Sequence[Any], data_format: str) -> tuple[Any, list[Any], Any]:
    """Batch, sides and channels of a shape.

    >>> parted((5, 3, 8, 6), "channels_first")
    (5, [8, 6], 3)
    """
    batch, *sides = shape
    return batch, sides, sides.pop(-1 if data_format == "channels_last" else 0)


def joined(batch: Any, sides: Sequence[Any], channels: Any, data_format: str) -> tuple[Any, ...]:
    """The shape of these.

    >>> joined(5, [8, 6], 3, "channels_last")
    (5, 8, 6, 3)
    """
    return (batch, *sides, channels) if data_format == "channels_last" else (batch, channels, *sides)


def padding(layer: str, given: str) -> str:
    """How the border of an image is treated.

    Raises:
        ValueError: no such way.
    """
    if given.lower() not in ("valid", "same"):
        raise ValueError(
            "The `padding` argument must be a list/tuple or one of {'valid', 'same'}. "
            f"Received: {given} for the layer {layer}"
        )
    return given.lower()


def lengths(name: str, given: Any) -> tuple[int, int]:
    """Height and width, which are to be positive.

    Raises:
        ValueError: they are not.
    """
    wrong = f"The `{name}` argument must be a tuple of 2 integers. Received {name}={given}"
    if isinstance(given, Sequence) and len(given) != 2:
        raise ValueError(f"{wrong}, which are {len(given)}.")
    found = pair(given)
    if min(found) <= 0:
        refused = {each for each in found if each <= 0}
        raise ValueError(f"{wrong}, including values {refused} that do not satisfy `value > 0`")
    return found


def pair(given: Any) -> tuple[int, int]:
    """Height and width, of two numbers or of one for both."""
    first, second = (given, given) if isinstance(given, int) else given
    return int(first), int(second)


def counts(
    sides: Sequence[int | None], windows: Sequence[int], strides: Sequence[int], padded: str
) -> list[int | None]:
    """How many windows stand along each side of an image; None for a side whose length is not known.

    >>> counts([8, None], [3, 3], [1, 1], "valid"), counts([5, 4], [3, 3], [2, 2], "same")
    ([6, None], [3, 2])
    """
    lost = windows if padded == "valid" else (1, 1)
    return [
        None if side is None else (side - gone) // stride + 1
        for side, gone, stride in zip(sides, lost, strides, strict=True)
    ]
