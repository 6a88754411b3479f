"""Fourier transforms of complex numbers under TensorFlow's names (`tf.signal`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.engine.api.arguments import ANY, ints_of, number_of, tensor_of
from tapeviz.engine.api.array import roll
from tapeviz.engine.api.table import export
from tapeviz.engine.dtypes import require
from tapeviz.engine.op import Op
from tapeviz.engine.table import OPS
from tapeviz.engine.tensor import TensorLike

_AXES = {1: "the last axis", 2: "the last two axes", 3: "the last three axes"}


def _transform(op: Op, rank: int) -> Callable[..., Any]:
    def transform(input: Any, name: str | None = None) -> Any:
        plain = not isinstance(input, TensorLike) and np.asarray(input).dtype.kind in "iuf"
        x = number_of(tensor_of(input, "complex64" if plain else None), op.name, "c", "Tcomplex")
        require(x.ndim >= rank, f"Input must have rank of at least {rank} but got: {list(x.shape)}, in {op.name}.")
        return op.call(x)

    return transform


def _fill_table() -> None:
    for name, rank in (("fft", 1), ("fft2d", 2), ("fft3d", 3)):
        for op, what in ((OPS[name], "Fourier transform"), (OPS[f"i{name}"], "inverse Fourier transform")):
            function = _transform(op, rank)
            function.__name__ = function.__qualname__ = op.name
            function.__doc__ = f"""The {what} of complex numbers along {_AXES[rank]}.

    Raises:
        InvalidArgumentError: a tensor of real numbers, or of fewer axes.
    """
            export(f"signal.{op.name}")(function)


_fill_table()


@export("signal.fftshift")
def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """A spectrum with frequency 0 in the middle of each of `axes`, all unless told."""
    return _shifted(x, axes, 1)


@export("signal.ifftshift")
def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """What `fftshift` was made of."""
    return _shifted(x, axes, -1)


def _shifted(x: Any, axes: Any, sign: int) -> Any:
    tensor = number_of(x, "roll", ANY)
    chosen = tuple(range(tensor.ndim)) if axes is None else ints_of(axes)
    for axis in chosen:
        require(
            -tensor.ndim <= axis < tensor.ndim,
            f"slice index {axis} of dimension 0 out of bounds. In fftshift along axes {list(chosen)} of a tensor of "
            f"shape {tensor.shape}.",
        )
    return roll(tensor, [sign * (tensor.shape[axis] // 2) for axis in chosen], list(chosen))
