"""A `data_format`, strides, padding and dilations -> numbers for each side of images with channels last.

"SAME" pads so that every stride gets a window, "VALID" does not pad; both become numbers here. The ops go over
images: sequences, several batch axes and channels in the second axis become that.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from tapeviz.engine.functions.integers import ints_of, settings_of
from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import array
from tapeviz.engine.specs.dtypes import OF_ONEDNN
from tapeviz.errors import InvalidArgumentError, OpError, UnimplementedError

Pair = tuple[int, int]

_UNIMPLEMENTED = ("conv2d", "depthwise_conv2d")
"""The ops whose other kernels TensorFlow says to be not implemented for channels in the second axis."""


class DataLayout(NamedTuple):
    """The arrangement of the axes of an input.

    Attributes:
        sides: how many spatial axes there are, 1 for sequences and 2 for images.
        channels_first: whether the channels are the second axis; otherwise they are the last one.
    """

    sides: int
    channels_first: bool

    def pair(self, value: object, what: str, error: type[OpError] = UnimplementedError, pooling: bool = False) -> Pair:
        """A setting such as strides, as a number for the height and one for the width.

        Args:
            value: one number for both, one for each side, or one for each axis; None for 1.
            what: the name of the setting.
            error: the class of the error for batch and channels.
            pooling: whether it is a setting of pooling.

        Raises:
            InvalidArgumentError: a number is less than 1.
            UnimplementedError: the number for the batch or the channels is not 1; or `error`.
            ValueError: another count of numbers.
        """
        if value is None or (type(value) is int and value > 0):
            number = value or 1
            return (1 if self.sides == 1 else number), number
        self._check_count(value, what, pooling)
        numbers = settings_of(value, what)
        if min(numbers, default=1) < 1:
            raise InvalidArgumentError(f"{what} must be at least 1: they are {numbers}.", at_run=what == "ksize")
        if len(numbers) == self.sides + 2:
            axes = self._sides_of(numbers)
            depth = sum(numbers) - sum(axes) - numbers[0]
            if numbers[0] != 1 or (depth != 1 and (what, pooling) != ("strides", True)):  # which are not looked at
                refusal = error(f"The {what} of the batch and of channels must be 1: they are {numbers}.")
                refusal.in_graph = None  # building one shows nothing of it
                raise refusal
            numbers = axes
        return (1 if self.sides == 1 else numbers[0]), numbers[-1]

    def _check_count(self, value: Any, what: str, pooling: bool) -> None:
        """Refuse another count of numbers than there are sides or axes, whatever they are."""
        numbers: list[Any] = [*value] if _is_several(value) else [value]
        if len(numbers) not in (1, self.sides, self.sides + 2):
            name = "stride" if what == "strides" and self.sides == 1 and not pooling else what
            counts = f"1, {self.sides} or {self.sides + 2}"
            raise ValueError(
                f"{name} should be of length {counts}. Received: {name}={numbers} of length {len(numbers)}"
            )

    def _sides_of(self, each: Any) -> Any:
        """Of what there is for each axis, what there is for the sides."""
        return tuple(each[2:] if self.channels_first else each[1:-1])

    def border(self, padding: object, lengths: Any, size: Pair, strides: Pair, dilations: Pair) -> tuple[Pair, Pair]:
        """The padding around an image, as a pair of numbers for its rows and one for its columns.

        Args:
            padding: "SAME", "VALID", or a pair of numbers for each axis.
            lengths: the height and the width of the image.
            size: those of the windows.
            strides: their steps.
            dilations: the distances between their elements.

        Raises:
            TypeError: `padding` is neither a string nor a list.
            ValueError: it is a list, but not a pair of numbers for each axis.
            InvalidArgumentError: another string, or a negative number.
        """
        if not isinstance(padding, str):
            return self._given(padding)
        if padding not in ("SAME", "VALID"):
            raise InvalidArgumentError(
                f"Value for attr 'padding' of \"{padding}\" is not in the list of allowed values: "
                '"SAME", "VALID", "EXPLICIT". The last is what numbers are, which only convolutions take.'
            )
        if padding == "VALID":
            return (0, 0), (0, 0)
        around = []
        for length, n, stride, dilation in zip(lengths, size, strides, dilations, strict=True):
            span = (n - 1) * dilation + 1
            total = max((-(-length // stride) - 1) * stride + span - length, 0)
            around.append((total // 2, total - total // 2))
        return around[0], around[1]

    def _given(self, padding: Any) -> tuple[Pair, Pair]:
        """A border in numbers, a pair for each axis."""
        if not isinstance(padding, (list, tuple)):
            require_word(padding)
        for at, pair in enumerate(padding):
            if not isinstance(pair, (list, tuple)) or len(pair) != 2:
                found = f"of size {len(pair)}" if isinstance(pair, (list, tuple)) else f"of type {type(pair)}"
                raise ValueError(
                    "When `padding` is a list, each element of `padding` must be a list/tuple of size 2. "
                    f"Received: padding={padding} with element at index {at} {found}"
                )
        if len(padding) != self.sides + 2:
            raise ValueError(
                f"When padding is a list, it must be of size {self.sides + 2}. "
                f"Received: padding={padding} of size {len(padding)}"
            )
        around = [ints_of(pair) for pair in self._sides_of(padding)]
        if min(map(min, around)) < 0:
            raise InvalidArgumentError(f"All elements of explicit_paddings must be nonnegative. They are {padding}.")
        (top, bottom), (left, right) = around if self.sides == 2 else ((0, 0), *around)
        return (top, bottom), (left, right)

    def images_of(self, op: str, x: Any) -> Any:
        """The input as images of shape (batch, height, width, channels).

        Raises:
            UnimplementedError, InvalidArgumentError: the channels are the second axis, and TensorFlow's op `op` has no
                kernel for that and the dtype on a CPU.
        """
        if self.channels_first and x._value.dtype not in OF_ONEDNN:  # which takes them there, too
            error = UnimplementedError if op in _UNIMPLEMENTED else InvalidArgumentError
            raise error(f"{op} of {x.dtype.name} has its channels last: transpose the input, or use float32.")
        batch = self._batch_axes(x)
        if self.channels_first:
            x = array.transpose(x, perm=(*range(batch), *range(batch + 1, x.ndim), batch))
        if self.sides == 1:
            x = array.expand_dims(x, axis=batch)
        return array.reshape(x, shape=(-1, *x.shape[batch:])) if batch > 1 else x

    def _batch_axes(self, x: Any) -> int:
        """How many axes there are ahead of sides and channels."""
        return int(x._value.ndim) - self.sides - 1

    def like(self, x: Any, found: Any) -> Any:
        """What an op returned for the images of an input, with the axes arranged like those of the input."""
        batch = self._batch_axes(x)
        if batch > 1:
            found = array.reshape(found, shape=(*x._value.shape[:batch], *found.shape[1:]))
        if self.sides == 1:
            found = array.squeeze(found, axis=(batch,))
        if self.channels_first:
            found = array.transpose(found, perm=(*range(batch), found.ndim - 1, *range(batch, found.ndim - 1)))
        return found


def layout_of(
    op: str, sides: int, data_format: str | None, error: type[Exception] = InvalidArgumentError
) -> DataLayout:
    """The layout that a `data_format` stands for; None stands for channels in the last axis.

    Args:
        op: the name of the op, for the error.
        sides: how many spatial axes there are.
        data_format: "NHWC", "NCHW", "NWC", "NCW" or None.
        error: the class of the error for another one.
    """
    last, first = ("NWC", "NCW") if sides == 1 else ("NHWC", "NCHW")
    if data_format not in (None, last, first):
        raise error(f"data_format={data_format!r} of {op} is none of its own: write {last!r} or {first!r}.")
    return DataLayout(sides, data_format == first)


def _is_several(value: object) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str)


def of_rank(op: str, role: str, x: Any, rank: int, most: float = math.inf) -> Any:
    """The operand `x`, after a check that its rank is between `rank` and `most`."""
    if not rank <= x._value.ndim <= most:
        raise InvalidArgumentError(f"{role} must be {rank}-dimensional: {listed(x.shape)}. In {op}.")
    return x


def require_room(lengths: Any, border: tuple[Pair, Pair], size: Pair, dilations: Pair = (1, 1)) -> None:
    """Raise InvalidArgumentError for windows larger than the image, while a graph is built. Eagerly it is no error."""
    if in_graph.get() is None:
        return
    for length, around, n, dilation in zip(lengths, border, size, dilations, strict=True):
        span, room = (n - 1) * dilation + 1, length + sum(around)
        if span > room:
            said = f"Negative dimension size caused by subtracting {span} from {room}"
            raise InvalidArgumentError(f"{said}: the window is too large for the image.")


def require_word(padding: object) -> None:
    """Raise TypeError unless the padding is a string."""
    if not isinstance(padding, str):
        raise TypeError(f"Expected string for argument 'padding' not {padding!r}. Write 'SAME' or 'VALID'.")
