"""Layers that combine several tensors elementwise."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.tf.keras.layers.base.layer import Layer
from tapeviz.tf.keras.layers.merging import Merge, over
from tapeviz.tf.keras.masks import masks_of


class _Elementwise(Merge):
    """The base class of layers that combine tensors elementwise.

    Tensors with fewer axes get axes of length 1 after the batch.
    """

    def _merged_(self, inputs: list[Any]) -> Any:
        rank = max(each.ndim for each in inputs)
        _require_batches([tuple(each.shape) for each in inputs])
        for place, each in enumerate(inputs):
            if each.ndim < rank:
                lengths = [each.shape[0], *[1] * (rank - each.ndim), *each.shape[1:]]
                inputs[place] = EXPORTS["reshape"](each, lengths)
        return self._of_one_rank_(inputs)

    def _of_one_rank_(self, inputs: list[Any]) -> Any:
        """The one tensor, of tensors with as many axes."""
        raise NotImplementedError

    def compute_output_shape(self, input_shape: Any) -> Any:
        _require_batches(input_shape)
        batches = {shape[0] for shape in input_shape if shape} - {None}
        if len(batches) > 1:
            raise ValueError(
                f"Cannot merge tensors with different batch sizes. Received tensors with shapes {input_shape}"
            )
        rest = reduce(_together, [tuple(shape[1:]) for shape in input_shape])
        batch = [None] if any(shape[:1] == (None,) for shape in map(tuple, input_shape)) else batches
        return (*batch, *rest)


def _with_masks(inputs: list[Any]) -> list[tuple[Any, Any]]:
    """Each tensor with its mask, as large as the tensor; None for everything."""
    return [(x, mask if mask is None else over(x, mask)) for x, mask in zip(inputs, masks_of(inputs), strict=True)]


class Add(_Elementwise):
    """The sum of a list of tensors (`tf.keras.layers.Add`).

    Raises:
        ValueError: when called, not on a list, or if the shapes do not broadcast.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Add()([tf.constant([3.0]), tf.constant([1.0])]).numpy().tolist()
    [4.0]
    """

    def _of_one_rank_(self, inputs: list[Any]) -> Any:
        return reduce(operator.add, inputs)


class Average(_Elementwise):
    """The mean of a list of tensors, elementwise (`tf.keras.layers.Average`).

    Raises:
        ValueError: when called, not on a list, or if the shapes do not broadcast.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Average()([tf.constant([3.0]), tf.constant([1.0])]).numpy().tolist()
    [2.0]
    """

    def _of_one_rank_(self, inputs: list[Any]) -> Any:
        return reduce(operator.add, inputs) / len(inputs)


class Subtract(_Elementwise):
    """The difference of two tensors (`tf.keras.layers.Subtract`).

    Raises:
        ValueError: when called, not on a list of two, or if the shapes do not broadcast.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Subtract()([tf.constant([3.0]), tf.constant([1.0])]).numpy().tolist()
    [2.0]
    """

    def build(self, input_shape: Any) -> None:
        super().build(input_shape)
        if len(input_shape) != 2:
            raise ValueError(
                f"A `Subtract` layer should be called on exactly 2 inputs. Received: input_shape={input_shape}"
            )

    def _of_one_rank_(self, inputs: list[Any]) -> Any:
        if len(inputs) != 2:
            raise ValueError(f"A `Subtract` layer should be called on exactly 2 inputs. Received: {len(inputs)}")
        return inputs[0] - inputs[1]


class Multiply(_Elementwise):
    """The product of a list of tensors, elementwise (`tf.keras.layers.Multiply`).

    Raises:
        ValueError: when called, not on a list, or if the shapes do not broadcast.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Multiply()([tf.constant([3.0]), tf.constant([1.0])]).numpy().tolist()
    [3.0]
    """

    def _of_one_rank_(self, inputs: list[Any]) -> Any:
        """What does not count is no factor; where nothing counts, if all have masks, the product is 0."""
        factors, masks = [], []
        for x, mask in _with_masks(inputs):
            factors.append(x if mask is None else EXPORTS["where"](mask, x, 1))
            masks.append(mask)
        product = reduce(operator.mul, factors)
        is_total = any(mask is None for mask in masks)
        return product if is_total else EXPORTS["where"](reduce(EXPORTS["logical_or"], masks), product, 0)


class _Extremum(_Elementwise):
    """The base class of layers that choose one of the numbers at each place, among those that no mask excludes."""

    _op_ = ""

    def _of_one_rank_(self, inputs: list[Any]) -> Any:
        return reduce(self._of_two_, _with_masks(inputs))[0]

    def _of_two_(self, one: tuple[Any, Any], other: tuple[Any, Any]) -> tuple[Any, Any]:
        (x, of_x), (y, of_y) = one, other
        if of_y is not None:
            y = EXPORTS["where"](of_y, y, x)
        if of_x is not None:
            x = EXPORTS["where"](of_x, x, y)
        both = None if of_x is None or of_y is None else EXPORTS["logical_or"](of_x, of_y)
        return EXPORTS[self._op_](x, y), both


class Maximum(_Extremum):
    """The largest of the numbers of a list of tensors, elementwise (`tf.keras.layers.Maximum`).

    Raises:
        ValueError: when called, not on a list, or if the shapes do not broadcast.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Maximum()([tf.constant([3.0]), tf.constant([1.0])]).numpy().tolist()
    [3.0]
    """

    _op_ = "maximum"


class Minimum(_Extremum):
    """The smallest of the numbers of a list of tensors, elementwise (`tf.keras.layers.Minimum`).

    Raises:
        ValueError: when called, not on a list, or if the shapes do not broadcast.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Minimum()([tf.constant([3.0]), tf.constant([1.0])]).numpy().tolist()
    [1.0]
    """

    _op_ = "minimum"


def _require_batches(shapes: Any) -> None:
    """Refuse numbers among tensors, which have no batch to go with theirs."""
    if len({bool(shape) for shape in shapes}) > 1:
        raise ValueError(
            f"Cannot merge numbers with tensors that have a batch. Received tensors with shapes {shapes}: "
            "use an operator, or give the numbers a batch axis."
        )


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


def _at_once(layer: Callable[..., Layer]) -> Callable[..., Any]:
    """A function that makes a layer and calls it."""
    name = layer.__name__.lower()

    def function(inputs: Any, **kwargs: Any) -> Any:
        return layer(**kwargs)(inputs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`{layer.__name__}`, called at once (`tf.keras.layers.{name}`)."
    return function


add, subtract, multiply = _at_once(Add), _at_once(Subtract), _at_once(Multiply)
average, maximum, minimum = _at_once(Average), _at_once(Maximum), _at_once(Minimum)
