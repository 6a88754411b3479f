"""A tensor -> a new one of the same values, in another dtype or without a gradient, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.api.arguments import number_of, require_sequence, tensor_of
from tapeviz.engine.api.exports import export
from tapeviz.engine.api.math.complex import complex, imag, real
from tapeviz.engine.backward.indexed_slices import IndexedSlices
from tapeviz.engine.op_errors.conversions import require_castable
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.ops import array as ops
from tapeviz.engine.ops import math
from tapeviz.engine.recording import current
from tapeviz.engine.specs.dtypes import as_dtype
from tapeviz.engine.values.constant import convert_to_tensor

export("convert_to_tensor")(convert_to_tensor)  # written below the API, and called by users through it


@export("identity")
def identity(input: Any, name: str | None = None) -> Any:
    """The same value as a new tensor; the gradient passes. Slices stay slices."""
    if isinstance(input, IndexedSlices):
        return input._with(ops.identity(input.values))
    return ops.identity(tensor_of(input))


@export("identity_n")
def identity_n(input: Any, name: str | None = None) -> list[Any]:
    """The same values as new tensors.

    Raises:
        InvalidArgumentError: an empty list.
        ValueError: an array of several axes.
    """
    require_sequence(input, "T")
    tensors = [tensor_of(each) for each in input]
    require(len(tensors) > 0, "Length for attr 'T' of 0 must be at least minimum 1, in identity_n.")
    return list(ops.identity_n(*tensors))


@export("stop_gradient")
def stop_gradient(input: Any, name: str | None = None) -> Any:
    """The same value, with no gradient; no tape follows it, not even as a source. Slices stay slices."""
    if isinstance(input, IndexedSlices):
        return input._with(stop_gradient(input.values))
    found = ops.stop_gradient(tensor_of(input))
    found._traces = current.get().unfollowed
    return found


@export("cast", "dtypes.cast")
def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """The numbers in another dtype; the gradient passes between floats and ends at an integer. Slices stay slices.

    Raises:
        UnimplementedError: a text to a number, or a number to a text.

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
def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Any:
    """The numbers in another dtype, those outside its range clipped to it; complex ones part by part."""
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
