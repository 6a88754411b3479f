"""A tensor -> a new one of the same values, in another dtype or without a gradient, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.backward.indexed_slices import IndexedSlices
from tapeviz.engine.functions.arguments import number_of, require_sequence, tensor_of
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.math.complex import complex, imag, real
from tapeviz.engine.op_errors.conversions import require_castable
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.ops import array as ops
from tapeviz.engine.ops import math
from tapeviz.engine.recording import current
from tapeviz.engine.specs.dtypes import as_dtype
from tapeviz.engine.values.constant import convert_to_tensor

export("convert_to_tensor")(convert_to_tensor)  # written below the API, and called by users through it


@export("identity")
def identity(input: object, name: str | None = None) -> Any:
    """A new tensor with the same value. The gradient flows through it.

    Args:
        input: a tensor, or what can become one. `IndexedSlices` stay `IndexedSlices`.

    >>> import tapeviz as tf
    >>> tf.identity([1.0, 2.0]).numpy().tolist()
    [1.0, 2.0]
    """
    if isinstance(input, IndexedSlices):
        return input._with(ops.identity(input.values))
    return ops.identity(tensor_of(input))


@export("identity_n")
def identity_n(input: Any, name: str | None = None) -> list[Any]:
    """New tensors with the same values, from a list of tensors. Gradients flow through them.

    Raises:
        InvalidArgumentError: the list is empty.
        ValueError: `input` is an array of several axes.

    >>> import tapeviz as tf
    >>> [float(x) for x in tf.identity_n([1.0, 2.0])]
    [1.0, 2.0]
    """
    require_sequence(input, "T")
    tensors = [tensor_of(each) for each in input]
    require(len(tensors) > 0, "Length for attr 'T' of 0 must be at least minimum 1, in identity_n.")
    return list(ops.identity_n(*tensors))


@export("stop_gradient")
def stop_gradient(input: object, name: str | None = None) -> Any:
    """A tensor with the same value, through which no gradient flows.

    No tape follows the result, not even one that is asked for the gradient with respect to it.

    Args:
        input: a tensor, or what can become one. `IndexedSlices` stay `IndexedSlices`.

    >>> import tapeviz as tf
    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * tf.stop_gradient(x)
    >>> float(tape.gradient(y, x))
    3.0
    """
    if isinstance(input, IndexedSlices):
        return input._with(stop_gradient(input.values))
    found = ops.stop_gradient(tensor_of(input))
    found._traces = current.get().unfollowed
    return found


@export("cast", "dtypes.cast")
def cast(x: object, dtype: object, name: str | None = None) -> Any:
    """The numbers of a tensor in another dtype.

    A gradient flows from one floating dtype to another. It ends at integers and booleans.

    Args:
        x: a tensor, or what can become one. `IndexedSlices` stay `IndexedSlices`.
        dtype: the new dtype.

    Raises:
        UnimplementedError: strings to numbers, or numbers to strings.

    >>> import tapeviz as tf
    >>> tf.cast(2.7, tf.int32)
    <tf.Tensor: shape=(), dtype=int32, numpy=2>
    """
    if isinstance(x, IndexedSlices):
        return x._with(cast(x.values, dtype))
    x, wanted = tensor_of(x), as_dtype(dtype)
    if x.dtype is wanted:  # a variable of Keras, whose dtype is a name, becomes a tensor whatever is wanted
        return x
    require_castable(x._dtype, wanted)
    return ops.cast(x, dtype=wanted.name, source=x._dtype.name)


@export("saturate_cast", "dtypes.saturate_cast")
def saturate_cast(value: object, dtype: object, name: str | None = None) -> Any:
    """The numbers of a tensor in another dtype, clipped to the range of that dtype.

    Args:
        value: a tensor of numbers. The parts of complex numbers are clipped separately.
        dtype: the new dtype.

    >>> import tapeviz as tf
    >>> tf.saturate_cast([-5.0, 300.0], tf.uint8).numpy().tolist()
    [0, 255]
    """
    x, wanted = tensor_of(value), as_dtype(dtype)
    if wanted.is_complex:
        part = wanted.real_dtype
        return complex(saturate_cast(real(x), part), saturate_cast(imag(x), part))
    x = real(x) if x.dtype.is_complex else x
    low, high = max(x.dtype.min, wanted.min), min(x.dtype.max, wanted.max)
    kind = number_of(x, "saturate_cast")._value.dtype.type
    top = kind(high)
    if float(top) > float(wanted.max):  # rounded up: the next number below fits
        top = np.nextafter(top, kind(0))
    return cast(math.maximum(math.minimum(x, top), kind(low)), wanted)
