"""The arguments of layers on series and images: data format, kernel size, strides, padding and dilations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


def data_format(given: str | None) -> str:
    """The data format: "channels_last" or "channels_first", the former for None.

    Raises:
        ValueError: another one.
    """
    if not (given is None or isinstance(given, str)) or given not in (None, "channels_last", "channels_first"):
        raise ValueError(
            "The `data_format` argument must be one of {'channels_first', 'channels_last'}. "
            f"Received: data_format={given}"
        )
    return given or "channels_last"


def layout(data_format: str, sides: int = 2) -> str:
    """The data format of `tf.nn`, such as "NHWC", for one of Keras.

    Args:
        data_format: "channels_last" or "channels_first".
        sides: how many spatial axes there are.

    >>> layout("channels_first"), layout("channels_last", 1)
    ('NCHW', 'NWC')
    """
    return "".join(joined("N", "HW"[-sides:], "C", data_format))


def parted(shape: Sequence[Any], data_format: str) -> tuple[Any, list[Any], Any]:
    """The batch, the spatial lengths and the channels of a shape.

    >>> parted((5, 3, 8, 6), "channels_first")
    (5, [8, 6], 3)
    """
    batch, *sides = shape
    return batch, sides, sides.pop(-1 if data_format == "channels_last" else 0)


def joined(batch: Any, sides: Sequence[Any], channels: Any, data_format: str) -> tuple[Any, ...]:
    """The shape with a batch, spatial lengths and channels: the inverse of `parted`.

    >>> joined(5, [8, 6], 3, "channels_last")
    (5, 8, 6, 3)
    """
    return (batch, *sides, channels) if data_format == "channels_last" else (batch, channels, *sides)


def padding(layer: str, given: Any, *more: str) -> str:
    """The padding in lower case, after a check.

    Args:
        layer: the name of the layer, for the error.
        given: the argument.
        more: allowed values besides "valid" and "same".

    Raises:
        ValueError: another value.
        AttributeError: a number.
    """
    ways = ("valid", "same", *more)
    if not isinstance(given, str):
        refused = ValueError if isinstance(given, (list, tuple)) else AttributeError
        raise refused(
            f"`padding` must be either `'valid'` or `'same'`. Received {given}: numbers are for a `ZeroPadding` layer."
        )
    if given.lower() not in ways:
        raise ValueError(
            f"The `padding` argument must be a list/tuple or one of {set(ways)}. "
            f"Received: {given.lower()}. In the layer {layer}."
        )
    return given.lower()


def lengths(name: str, given: Any, count: int, least: int = 1, number: Callable[[Any], int] = int) -> tuple[int, ...]:
    """A tuple of integers, from a sequence of as many or one number for all.

    Args:
        name: the name of the argument, for the error.
        given: the argument.
        count: how many integers there are.
        least: the smallest allowed integer.
        number: the function that reads each; by default it cuts off fractions.

    Raises:
        ValueError: the numbers are too small or too few, or are not numbers.

    >>> lengths("strides", 2, 2), lengths("padding", (0, 3), 2, least=0)
    ((2, 2), (0, 3))
    """
    wrong = f"The `{name}` argument must be a tuple of {count} integers. Received {name}={given}"
    try:
        found = (given,) * count if isinstance(given, int) else tuple(map(number, given))
    except (TypeError, ValueError):
        raise ValueError(wrong) from None
    if len(found) != count:
        raise ValueError(f"{wrong}, which are {len(found)}.")
    refused = {each for each in found if each < least}
    if refused:
        limit = f"value {'> 0' if least else '>= 0'}"
        raise ValueError(f"{wrong}, including values {refused} that do not satisfy `{limit}`")
    return found


def as_told(number: Any) -> Any:
    """The number unchanged: the `number` of `lengths` where a fraction must raise an error later.

    Raises:
        TypeError, ValueError: it is not a number.
    """
    int(number)
    return number


def borders(name: str, given: Any, number: Callable[[Any], int] = int) -> tuple[tuple[int, ...], ...]:
    """The widths of a border above, below, left and right of an image, as two pairs.

    Args:
        name: the name of the argument, for the error.
        given: one number for all, one for each pair, or two pairs.
        number: the function that reads each, as in `lengths`.

    Raises:
        ValueError: something else, or a negative number.

    >>> borders("padding", (1, (0, 2)))
    ((1, 1), (0, 2))
    """
    if not isinstance(given, int) and (not hasattr(given, "__len__") or len(given) != 2):
        raise ValueError(
            f"`{name}` should have two elements. Received: {name}={given}. It should be an int, two of them (height, "
            "width), or two pairs of them ((top, bottom), (left, right))."
        )
    pairs = (given, given) if isinstance(given, int) else given
    return tuple(
        lengths(f"{place} entry of {name}", each, 2, 0, number)
        for place, each in zip(("1st", "2nd"), pairs, strict=True)
    )


def counts(
    sides: Sequence[int | None], windows: Sequence[int], strides: Sequence[int], padded: str
) -> list[int | None]:
    """The number of windows along each side of an image, None for a side of unknown length.

    Args:
        sides: the lengths of the image.
        windows: those of the window.
        strides: the steps of the window.
        padded: the padding.

    >>> counts([8, None], [3, 3], [1, 1], "valid"), counts([5, 4], [3, 3], [2, 2], "same")
    ([6, None], [3, 2])
    """
    lost = windows if padded == "valid" else [1] * len(sides)
    return [
        None if side is None else (side - gone) // stride + 1
        for side, gone, stride in zip(sides, lost, strides, strict=True)
    ]
