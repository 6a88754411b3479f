"""Layers that make one tensor of several; each is called on a list."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

from tapeviz.engine.api import EXPORTS
from tapeviz.keras.layers.base import Layer


class _Merge(Layer):
    """What they have in common: they are called on a list."""

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
        return self.merged(list(inputs))

    def merged(self, inputs: list[Any]) -> Any:
        """The one tensor."""
        raise NotImplementedError


class Concatenate(_Merge):
    """Tensors one behind the other along an axis (`tf.keras.layers.Concatenate`).

    Raises:
        ValueError: when called, no list, or shapes that differ along another axis.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Concatenate()([tf.zeros([2, 3]), tf.zeros([2, 1])]).shape
    TensorShape([2, 4])
    """

    settings = (*Layer.settings, "axis")

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def build(self, input_shape: Any) -> None:
        self.compute_output_shape(input_shape)

    def merged(self, inputs: list[Any]) -> Any:
        return EXPORTS["concat"](inputs, self.axis)

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


class _Elementwise(_Merge):
    """Number by number; shorter shapes get axes of length 1 behind the batch."""

    function: Callable[..., Any]

    def merged(self, inputs: list[Any]) -> Any:
        rank = max(each.ndim for each in inputs)
        for place, each in enumerate(inputs):
            if each.ndim < rank:
                lengths = [each.shape[0], *[1] * (rank - each.ndim), *each.shape[1:]]
                inputs[place] = EXPORTS["reshape"](each, lengths)
        return type(self).function(inputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        batches = {shape[0] for shape in input_shape if shape} - {None}
        if len(batches) > 1:
            raise ValueError(
                f"Cannot merge tensors with different batch sizes. Received tensors with shapes {input_shape}"
            )
        rest = reduce(_together, [tuple(shape[1:]) for shape in input_shape])
        return (None if any(shape[0] is None for shape in input_shape) else batches.pop(), *rest)


def _together(first: Any, second: Any) -> Any:
    """The shape that two broadcast to."""
    if len(first) < len(second):
        first, second = second, first
    lengths = list(first[: len(first) - len(second)])
    for a, b in zip(first[len(lengths) :], second, strict=True):
        if a is not None and b is not None and a != b and 1 not in (a, b):
            raise ValueError(f"Inputs have incompatible shapes. Received shapes {first} and {second}")
        lengths.append(None if None in (a, b) else max(a, b))
    return tuple(lengths)


def _is_list(shapes: Any) -> bool:
    return isinstance(shapes, (list, tuple)) and bool(shapes) and isinstance(shapes[0], (list, tuple))


def _sum(inputs: list[Any]) -> Any:
    return reduce(operator.add, inputs)


def _difference(inputs: list[Any]) -> Any:
    if len(inputs) != 2:
        raise ValueError(f"A `Subtract` layer should be called on exactly 2 inputs. Received: {len(inputs)}")
    return inputs[0] - inputs[1]


def _elementwise(name: str, what: str, function: Callable[[list[Any]], Any], example: str) -> Callable[..., Layer]:
    about = (
        f"The {what} of tensors (`tf.keras.layers.{name}`).\n\n    Raises:\n"
        "        ValueError: when called, no list, or shapes that do not broadcast.\n\n    >>> import tapeviz as tf\n"
        f"    >>> tf.keras.layers.{name}()([tf.constant([3.0]), tf.constant([1.0])]).numpy().tolist()\n"
        f"    {example}\n    "
    )
    parts = {"function": staticmethod(function), "__doc__": about, "__module__": __name__}
    return type(name, (_Elementwise,), parts)


Add = _elementwise("Add", "sum", _sum, "[4.0]")
Subtract = _elementwise("Subtract", "difference", _difference, "[2.0]")
Multiply = _elementwise("Multiply", "product", lambda inputs: reduce(operator.mul, inputs), "[3.0]")
Average = _elementwise("Average", "mean", lambda inputs: _sum(inputs) / len(inputs), "[2.0]")
Maximum = _elementwise("Maximum", "larger numbers", lambda inputs: reduce(EXPORTS["maximum"], inputs), "[3.0]")
Minimum = _elementwise("Minimum", "smaller numbers", lambda inputs: reduce(EXPORTS["minimum"], inputs), "[1.0]")


def concatenate(inputs: Any, axis: int = -1, **kwargs: Any) -> Any:
    """`Concatenate`, called at once (`tf.keras.layers.concatenate`).

    >>> import tapeviz as tf
    >>> tf.keras.layers.concatenate([tf.zeros([2, 3]), tf.zeros([2, 1])]).shape
    TensorShape([2, 4])
    """
    return Concatenate(axis, **kwargs)(inputs)


def add(inputs: Any, **kwargs: Any) -> Any:
    """`Add`, called at once (`tf.keras.layers.add`).

    >>> import tapeviz as tf
    >>> tf.keras.layers.add([tf.constant([3.0]), tf.constant([1.0])]).numpy().tolist()
    [4.0]
    """
    return Add(**kwargs)(inputs)
