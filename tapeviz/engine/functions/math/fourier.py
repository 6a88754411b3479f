"""Fourier transforms of complex and of real numbers under TensorFlow's names (`tf.signal`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import number_of, tensor_of
from tapeviz.engine.functions.array.padding import pad
from tapeviz.engine.functions.array.reordering import roll
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import ints_of
from tapeviz.engine.functions.math.complex import conj, real
from tapeviz.engine.op import Op
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.ops import array, joining
from tapeviz.engine.table import OPS
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import convert_to_tensor

_AXES = {1: "the last axis", 2: "the last two axes", 3: "the last three axes"}


def _transform(op: Op, rank: int) -> Callable[..., Any]:
    def transform(input: object, name: str | None = None) -> Any:
        plain = not isinstance(input, TensorLike) and np.asarray(input).dtype.kind in "iuf"
        x = number_of(tensor_of(input, "complex64" if plain else None), f"{op.name}.Tcomplex")
        require(x.ndim >= rank, f"Input must have rank of at least {rank} but got: {list(x.shape)}, in {op.name}.")
        return op.call(x)

    return transform


def _fill_table() -> None:
    for name, rank in (("fft", 1), ("fft2d", 2), ("fft3d", 3)):
        for op, what in ((OPS[name], "Fourier transform"), (OPS[f"i{name}"], "inverse Fourier transform")):
            function = _transform(op, rank)
            function.__doc__ = f"""The {what} of complex numbers along {_AXES[rank]}.

    Args:
        input: a tensor of complex numbers. Python numbers and arrays of real numbers become complex64.

    Raises:
        InvalidArgumentError: a tensor of real numbers, or with too few axes.
    """
            export(f"signal.{op.name}")(function)


_fill_table()


@export("signal.rfft")
def rfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """The first half of the Fourier transform of real numbers along the last axis; the other half mirrors it.

    Args:
        input_tensor: float32 or float64, of shape (..., n).
        fft_length: a list of one number, the length n to use: the input is cut, or filled up with zeros.

    Returns:
        Complex numbers of shape (..., n // 2 + 1).

    Raises:
        ValueError: the input has another dtype or is a scalar, or the length is less than 1.
        TypeError: `fft_length` is a number, not a list.
        InvalidArgumentError: `fft_length` has another number of entries than one.

    >>> import tapeviz as tf
    >>> tf.signal.rfft([1.0, 2.0, 3.0, 4.0]).numpy().tolist()
    [(10+0j), (-2+2j), (-2+0j)]
    """
    x = convert_to_tensor(input_tensor, dtype_hint="float32")
    if x.dtype.name not in _COMPLEX:
        raise ValueError(f"RFFT requires tf.float32 or tf.float64 inputs, got: {x!s}")
    _require_axis(x)
    length = _length(fft_length, x.shape[-1])
    x = _of_length(x, length)
    numbers = array.cast(x, dtype=_COMPLEX[x.dtype.name], source=x.dtype.name)
    return OPS["fft"].call(numbers)[..., : length // 2 + 1]


@export("signal.irfft")
def irfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """The inverse of `tf.signal.rfft`: real numbers from the first half of their Fourier transform.

    Args:
        input_tensor: complex numbers of shape (..., n // 2 + 1).
        fft_length: a list of one number, n. It is needed if n is odd; by default the result has an even length.

    Returns:
        Real numbers of shape (..., n).

    Raises:
        ValueError: the input has another dtype or is a scalar, or the length is less than 1.
        TypeError: `fft_length` is a number, not a list.
        InvalidArgumentError: `fft_length` has another number of entries than one.

    >>> import tapeviz as tf
    >>> tf.signal.irfft(tf.signal.rfft([1.0, 2.0, 3.0, 4.0])).numpy().tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    x = convert_to_tensor(input_tensor, dtype_hint="complex64")
    if not x.dtype.is_complex:
        raise ValueError(f"IRFFT requires tf.complex64 or tf.complex128 inputs, got: {x!s}")
    _require_axis(x)
    length = _length(fft_length, 2 * (x.shape[-1] - 1))
    half = _of_length(x, length // 2 + 1)
    mirrored = half[..., 1 : (length + 1) // 2][..., ::-1]
    whole = joining.concat(half, conj(mirrored), axis=half.ndim - 1)
    return real(OPS["ifft"].call(whole))


_COMPLEX = {"float32": "complex64", "float64": "complex128"}


def _require_axis(x: Any) -> None:
    if not x.ndim:
        raise ValueError("Shape () must have rank at least 1. A scalar has no transform: use tf.reshape(x, [1]).")


def _length(fft_length: Any, otherwise: int) -> int:
    """How many numbers there are on the real side.

    Raises:
        TypeError: a number by itself; InvalidArgumentError: a list of none or several; ValueError: less than 1.
    """
    if fft_length is None:
        return otherwise
    given = convert_to_tensor(fft_length, "int32")
    if not given.ndim:
        raise TypeError(
            f"'numpy.int32' object is not iterable: fft_length is a list of one length, got {fft_length!r}."
        )
    lengths = ints_of(given)
    require(len(lengths) == 1, f"fft_length must have shape [1], got {list(lengths)}.")
    if lengths[0] < 1:
        require(lengths[0] != -1, "fft_length[0] must >= 0, but got: -1")
        raise ValueError(f"Dimension {lengths[0]} must be >= 0, and not 0: it is the fft_length.")
    return lengths[0]


def _of_length(x: Any, length: int) -> Any:
    """So many numbers along the last axis: the first ones, and zeros behind them."""
    missing = max(length - x.shape[-1], 0)
    x = x[..., :length]
    return pad(x, [[0, 0]] * (x.ndim - 1) + [[0, missing]]) if missing else x


@export("signal.fftshift")
def fftshift(x: object, axes: object = None, name: str | None = None) -> Any:
    """A Fourier transform with frequency 0 moved to the middle.

    Args:
        x: a tensor, or what can become one.
        axes: the axes to shift; all by default.

    >>> import tapeviz as tf
    >>> tf.signal.fftshift([0.0, 1.0, 2.0, -2.0, -1.0]).numpy().tolist()
    [-2.0, -1.0, 0.0, 1.0, 2.0]
    """
    return _shifted(x, axes, 1)


@export("signal.ifftshift")
def ifftshift(x: object, axes: object = None, name: str | None = None) -> Any:
    """The inverse of `tf.signal.fftshift`: frequency 0 moved from the middle to the front.

    Args:
        x: a tensor, or what can become one.
        axes: the axes to shift; all by default.

    >>> import tapeviz as tf
    >>> tf.signal.ifftshift([-2.0, -1.0, 0.0, 1.0, 2.0]).numpy().tolist()
    [0.0, 1.0, 2.0, -2.0, -1.0]
    """
    return _shifted(x, axes, -1)


def _shifted(x: object, axes: object, sign: int) -> Any:
    tensor = tensor_of(x)
    chosen = tuple(range(tensor.ndim)) if axes is None else ints_of(axes)
    for axis in chosen:
        require(
            -tensor.ndim <= axis < tensor.ndim,
            f"slice index {axis} of dimension 0 out of bounds. In fftshift along axes {list(chosen)} of a tensor of "
            f"shape {tensor.shape}.",
        )
    return roll(tensor, [sign * (tensor.shape[axis] // 2) for axis in chosen], list(chosen))
