"""Layers that combine a list of tensors into one; the elementwise ones are in `elementwise`."""

from __future__ import annotations

import operator
from functools import reduce
from typing import Any

from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.tf.keras.floats import EPSILON
from tapeviz.tf.keras.layers.base.layer import Layer
from tapeviz.tf.keras.layers.batch_dot import batch_dot
from tapeviz.tf.keras.serialization import tells_arguments
from tapeviz.tf.keras.symbolic import is_symbolic


class Merge(Layer):
    """The base class of layers that are called on a list of tensors. A step is masked if all masks exclude it."""

    def build(self, input_shape: Any) -> None:
        if not _is_list(input_shape):
            raise ValueError(
                "A merge layer should be called on a list of inputs. "
                f"Received: input_shape={input_shape} (not a list of shapes)"
            )
        self.compute_output_shape(input_shape)

    def call(self, inputs: Any) -> Any:
        if not isinstance(inputs, (list, tuple)):
            raise ValueError(
                f"A merge layer should be called on a list of inputs. Received: inputs={inputs} (not a list of tensors)"
            )
        return self._merged_(list(inputs))

    def _merged_(self, inputs: list[Any]) -> Any:
        """The one tensor."""
        raise NotImplementedError

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        if mask is None:
            return None
        _require_masks(inputs, mask)
        if any(each is None for each in mask):
            return None
        return reduce(operator.or_, mask if is_symbolic(mask) else map(_as_truths, mask))


def _as_truths(mask: Any) -> Any:
    """A mask, which may come in numbers; None as it is."""
    return None if mask is None else EXPORTS["cast"](mask, "bool")


def _require_masks(inputs: Any, mask: Any) -> None:
    """Refuse anything but lists of as many masks as inputs."""
    for name, each in (("mask", mask), ("inputs", inputs)):
        if not isinstance(each, (tuple, list)):
            raise ValueError(f"`{name}` should be a list. Received: {name}={each}")
    if len(mask) != len(inputs):
        raise ValueError(
            f"The lists `inputs` and `mask` should have the same length. Received: inputs={inputs} of length "
            f"{len(inputs)}, and mask={mask} of length {len(mask)}"
        )


@tells_arguments
class Concatenate(Merge):
    """Concatenates tensors (`tf.keras.layers.Concatenate`).

    Args:
        axis: the axis.
        kwargs: the arguments of every layer.

    Raises:
        ValueError: when called, not on a list, or if the shapes differ along another axis.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Concatenate()([tf.zeros([2, 3]), tf.zeros([2, 1])]).shape
    TensorShape([2, 4])
    """

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def build(self, input_shape: Any) -> None:
        self.compute_output_shape(input_shape)

    def _merged_(self, inputs: list[Any]) -> Any:
        return EXPORTS["concat"](inputs, self.axis)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        if mask is None:
            return None
        _require_masks(inputs, mask)
        if all(each is None for each in mask):
            return None
        parts = [over(*pair) for pair in zip(inputs, map(_as_truths, mask), strict=True)]
        return EXPORTS["reduce_any"](EXPORTS["concat"](parts, self.axis), axis=-1)

    def compute_output_shape(self, input_shape: Any) -> Any:
        if not _is_list(input_shape):
            raise ValueError(
                "A `Concatenate` layer should be called on a list of at least 1 input. "
                f"Received: input_shape={input_shape}"
            )
        rank, lengths = len(input_shape[0]), []
        place = self.axis % rank if rank else 0
        for axis in range(rank):
            found = [shape[axis] for shape in input_shape if len(shape) == rank]
            known = {each for each in found if each is not None}
            if len(found) < len(input_shape) or (axis != place and len(known) > 1):
                raise ValueError(
                    "A `Concatenate` layer requires inputs with matching shapes except for the concatenation axis. "
                    f"Received: input_shape={input_shape}"
                )
            if axis == place:
                lengths.append(None if None in found else sum(found))
            else:
                lengths.append(known.pop() if known else None)
        return tuple(lengths)


def _is_list(shapes: Any) -> bool:
    return isinstance(shapes, (list, tuple)) and bool(shapes) and isinstance(shapes[0], (list, tuple))


def over(x: Any, mask: Any) -> Any:
    """A mask in the shape of a tensor. Without a mask, all elements are included."""
    if mask is None:
        return EXPORTS["ones_like"](x, dtype="bool")
    return EXPORTS["broadcast_to"](EXPORTS["expand_dims"](mask, -1), tuple(x.shape)) if mask.ndim < x.ndim else mask


@tells_arguments
class Dot(Merge):
    """For each example, the product of two tensors, summed over an axis of each (`tf.keras.layers.Dot`).

    Args:
        axes: the axis, counted with the batch, or one for each of the two tensors.
        normalize: whether the vectors along these axes are divided by their norms, which gives cosines.
        kwargs: the arguments of every layer.

    Raises:
        TypeError: the axes are not integers.
        ValueError: there are not one or two axes; when called, not on two tensors, or if the axes have different
            lengths.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Dot(axes=1)([tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 4.0]])]).numpy().tolist()
    [[11.0]]
    """

    def __init__(self, axes: Any, normalize: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(axes, int | list | tuple):
            raise TypeError(f"Invalid type for argument `axes`: it should be a list or an int. Received: axes={axes}")
        if not isinstance(axes, int) and (len(axes) != 2 or not all(isinstance(each, int) for each in axes)):
            raise ValueError(
                f"Invalid format for argument `axes`: it should contain two elements. Received: axes={axes}"
            )
        self.axes, self.normalize = axes, normalize

    def build(self, input_shape: Any) -> None:
        self._require_two_(input_shape)
        first, second = self._axes_(input_shape)
        if input_shape[0][first] != input_shape[1][second]:
            raise ValueError(
                f"Dot sums over axis {first} of {input_shape[0]} and {second} of {input_shape[1]}: lengths differ."
            )

    def _merged_(self, inputs: list[Any]) -> Any:
        axes = self._axes_([each.shape for each in inputs])
        if self.normalize:
            inputs = [_normalized(each, axis) for each, axis in zip(inputs, axes, strict=True)]
        x, y = inputs
        return batch_dot(x, y, axes)

    def compute_output_shape(self, input_shape: Any) -> Any:
        self._require_two_(input_shape)
        parts = zip(input_shape, self._axes_(input_shape), strict=True)
        first, second = ([*shape[:axis], *shape[axis + 1 :]] for shape, axis in parts)
        return (*first, *second[1:]) if len(first) + len(second) > 2 else (*first, 1)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return None

    def _axes_(self, shapes: Any) -> tuple[int, int]:
        """The axes of the two, counted from the first."""
        axes = (self.axes, self.axes) if isinstance(self.axes, int) else self.axes
        first, second = (each % len(shape) if each < 0 else each for each, shape in zip(axes, shapes, strict=True))
        return first, second

    def _require_two_(self, shapes: Any) -> None:
        if not _is_list(shapes) or len(shapes) != 2:
            raise ValueError(f"A `Dot` layer should be called on a list of 2 inputs. Received: input_shape={shapes}")


def _normalized(x: Any, axis: int) -> Any:
    """Vectors along an axis, of length 1; those almost 0 as they are, times a large number."""
    by = EXPORTS["math.rsqrt"](EXPORTS["reduce_sum"](EXPORTS["square"](x), axis, keepdims=True))
    return x * EXPORTS["minimum"](by, 1.0 / EPSILON)


def concatenate(inputs: Any, axis: int = -1, **kwargs: Any) -> Any:
    """The result of a new `Concatenate` layer (`tf.keras.layers.concatenate`).

    Args:
        inputs: a list of tensors.
        axis: the axis.
        kwargs: the arguments of every layer.

    >>> import tapeviz as tf
    >>> tf.keras.layers.concatenate([tf.zeros([2, 3]), tf.zeros([2, 1])]).shape
    TensorShape([2, 4])
    """
    return Concatenate(axis, **kwargs)(inputs)


def dot(inputs: Any, axes: Any = -1, **kwargs: Any) -> Any:
    """The result of a new `Dot` layer (`tf.keras.layers.dot`).

    Args:
        inputs: a list of two tensors.
        axes: the axis, or one for each of them.
        kwargs: the other arguments of `Dot`.

    >>> import tapeviz as tf
    >>> tf.keras.layers.dot([tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 4.0]])], axes=1).numpy().tolist()
    [[11.0]]
    """
    return Dot(axes, **kwargs)(inputs)
