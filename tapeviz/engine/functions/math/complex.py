"""Complex numbers under TensorFlow's names."""

from __future__ import annotations

import math
from typing import Any

from tapeviz.engine.functions.arguments import number_of, tensor_of
from tapeviz.engine.functions.exports import export
from tapeviz.engine.ops import complex as ops
from tapeviz.engine.specs.dtype_sets import NUMBERS
from tapeviz.engine.table import OPS
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import convert_to_tensor

_FLOATS = ("float32", "float64")


@export("complex", "dtypes.complex")
def complex(real: object, imag: object, name: str | None = None) -> Any:
    """Complex numbers from their real and imaginary parts.

    Args:
        real: the real parts, float32 or float64.
        imag: the imaginary parts, of the same dtype, broadcast with `real`.

    Raises:
        TypeError: the dtypes differ, or are not float32 or float64.

    >>> import tapeviz as tf
    >>> tf.complex(1.0, 2.0)
    <tf.Tensor: shape=(), dtype=complex64, numpy=(1+2j)>
    """
    x, y = tensor_of(real), tensor_of(imag)
    if x._value.dtype != y._value.dtype or x.dtype.name not in _FLOATS:
        raise TypeError(
            f"The `real` and `imag` components have incorrect types: {x.dtype.name} {y.dtype.name}. They must be "
            "consistent, and one of [tf.float32, tf.float64]"
        )
    return ops.complex(x, y)


def _number(value: object, op: str) -> TensorLike:
    x = tensor_of(value)
    if x._value.dtype not in NUMBERS:
        said = f"input must be a numeric tensor, but got tensor with dtype {x._dtype!s}"
        said = f"Expected numeric or variant tensor, got dtype {x._dtype!r}" if op == "conj" else said
        raise TypeError(f"{said}. In {op}: use tf.cast.")
    return x


@export("math.real")
def real(input: Any, name: str | None = None) -> Any:
    """The real part of each number. Real numbers are returned unchanged.

    >>> import tapeviz as tf
    >>> float(tf.math.real(1 + 2j))
    1.0
    """
    x = _number(input, "real")
    return ops.real(x) if x.dtype.is_complex else convert_to_tensor(x)


@export("math.imag")
def imag(input: object, name: str | None = None) -> Any:
    """The imaginary part of each number, 0 for real numbers.

    >>> import tapeviz as tf
    >>> float(tf.math.imag(1 + 2j))
    2.0
    """
    x = tensor_of(input)
    return ops.imag(x) if x.dtype.is_complex else OPS["zeros_like"](x)


@export("math.conj")
def conj(x: Any, name: str | None = None) -> Any:
    """The complex conjugate of each number. Real numbers are returned unchanged.

    >>> import tapeviz as tf
    >>> tf.math.conj(1 + 2j).numpy().item()
    (1-2j)
    """
    x = _number(x, "conj")
    return ops.conj(x) if x.dtype.is_complex else convert_to_tensor(x)


@export("math.angle")
def angle(input: object, name: str | None = None) -> Any:
    """The angle of each number in the complex plane, in radians, from -π to π.

    Args:
        input: a tensor of complex or floating numbers. The angle of a negative real number is π.

    Raises:
        TypeError: integers, booleans or strings.

    >>> import tapeviz as tf
    >>> f"{float(tf.math.angle(1j)):.4f}"
    '1.5708'
    """
    x = tensor_of(input)
    if x.dtype.name in ("string", "bool"):
        raise TypeError(f"Cannot convert 0 to a tensor of dtype {x.dtype.name}. In angle: use tf.cast.")
    if x.dtype.is_complex:
        return ops.angle(x)
    if not x.dtype.is_floating:
        raise TypeError(f"Cannot convert {math.pi} to a tensor of dtype {x.dtype.name}")
    below = OPS["less"](x, OPS["zeros_like"](x))
    return OPS["mask"](OPS["ones_like"](x) * math.pi, below)


@export("abs", "math.abs")
def abs(x: object, name: str | None = None) -> Any:
    """The absolute value of each number; for a complex number, its distance from 0. The derivative at 0 is taken as 0.

    >>> import tapeviz as tf
    >>> float(tf.abs(-2.0)), float(tf.abs(3 + 4j))
    (2.0, 5.0)
    """
    x = number_of(x, "abs")
    return (ops.complex_abs if x.dtype.is_complex else OPS["abs"])(x)


@export("sign", "math.sign")
def sign(x: object, name: str | None = None) -> Any:
    """The sign of each number: -1, 0 or 1; for a complex number, the number divided by its absolute value.

    The gradient of a real sign is 0.

    >>> import tapeviz as tf
    >>> tf.sign([-3.0, 0.0, 2.0]).numpy().tolist()
    [-1.0, 0.0, 1.0]
    """
    x = number_of(x, "sign")
    if not x.dtype.is_complex:
        return OPS["sign"](x)
    size = OPS["cast"](ops.complex_abs(x), dtype=x.dtype.name, source=f"float{x.dtype.size * 4}")
    return OPS["divide_no_nan"](x, size)
