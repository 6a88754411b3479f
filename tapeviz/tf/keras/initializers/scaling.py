"""Initializers whose variance goes by the numbers of inputs and outputs (Glorot and Bengio, 2010; He et al., 2015)."""

from __future__ import annotations

import math
from copy import copy
from typing import Any

from tapeviz.engine.specs.dtypes import DType
from tapeviz.tf.keras.initializers.base import Axes, Shape
from tapeviz.tf.keras.initializers.random import Random, RandomNormal, RandomUniform, TruncatedNormal

_MODES = ("fan_in", "fan_out", "fan_avg")
_DISTRIBUTIONS = ("uniform", "truncated_normal", "untruncated_normal")


class VarianceScaling(Random):
    """An initializer whose variance depends on the numbers of inputs and outputs of the weight.

    Args:
        scale: the variance times that number.
        mode: which number: "fan_in" for the inputs, "fan_out" for the outputs, "fan_avg" for their mean.
        distribution: "uniform", "truncated_normal" or "untruncated_normal".
        seed: the seed; by default it is drawn.
        input_axes: the axes of the inputs. Without both, the last two axes are those of inputs and outputs.
        output_axes: the axes of the outputs.

    Raises:
        ValueError: the scale is not positive, or the mode or the distribution is unknown.

    >>> VarianceScaling(2.0, mode="fan_out")([2, 3]).shape
    TensorShape([2, 3])
    """

    _settings_ = ("seed", "scale", "mode", "distribution", "input_axes", "output_axes")

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        input_axes: Axes | None = None,
        output_axes: Axes | None = None,
    ) -> None:
        if scale <= 0:
            raise ValueError(f"Argument `scale` must be positive float. Received: scale={scale}")
        if mode not in _MODES:
            raise ValueError(f"Invalid `mode` argument: {mode}. Please use one of {set(_MODES)}.")
        distribution = "truncated_normal" if distribution == "normal" else distribution
        if distribution not in _DISTRIBUTIONS:
            raise ValueError(
                f"Invalid `distribution` argument: {distribution}.Please use one of {set(_DISTRIBUTIONS)}."
            )
        super().__init__(seed)
        self.scale, self.mode, self.distribution = scale, mode, distribution
        self.input_axes, self.output_axes = input_axes, output_axes

    def _along_(self, input_axes: Axes, output_axes: Axes) -> VarianceScaling:
        """The same, of the same numbers, for a weight whose inputs and outputs lie along these axes; told ones stay."""
        if self.input_axes is not None and self.output_axes is not None:
            return self
        like = copy(self)
        like.input_axes, like.output_axes = input_axes, output_axes
        return like

    def _draw_(self, shape: Shape, dtype: DType) -> Any:
        if self.input_axes is None or self.output_axes is None:
            inputs, outputs = fans(shape)
        else:
            inputs, outputs = (math.prod(shape[axis] for axis in each) for each in (self.input_axes, self.output_axes))
        count = {"fan_in": inputs, "fan_out": outputs, "fan_avg": (inputs + outputs) / 2}[self.mode]
        variance = self.scale / max(1.0, count)
        if self.distribution == "uniform":
            limit = math.sqrt(3 * variance)
            return RandomUniform(-limit, limit, self._drawn_by_)._draw_(shape, dtype)
        if self.distribution == "untruncated_normal":
            return RandomNormal(0.0, math.sqrt(variance), self._drawn_by_)._draw_(shape, dtype)
        return TruncatedNormal(0.0, math.sqrt(variance) / 0.87962566103423978, self._drawn_by_)._draw_(shape, dtype)


def fans(shape: Shape) -> tuple[int, int]:
    """The numbers of inputs and outputs of a weight.

    Its last two axes are those of inputs and outputs, the others a window.

    >>> fans((3, 3, 4, 8)), fans((5,))
    ((36, 72), (5, 5))
    """
    if len(shape) < 2:
        size = shape[0] if shape else 1
        return size, size
    window = math.prod(shape[:-2])
    return shape[-2] * window, shape[-1] * window


def _scaling(name: str, scale: float, mode: str, distribution: str) -> type[VarianceScaling]:
    def start(
        self: Any, seed: int | None = None, input_axes: Axes | None = None, output_axes: Axes | None = None
    ) -> None:
        VarianceScaling.__init__(self, scale, mode, distribution, seed, input_axes, output_axes)

    start.__qualname__ = f"{name}.__init__"  # by which Python's errors call it
    about = f"`VarianceScaling` with scale {scale:g}, {mode}, {distribution}.\n\n    >>> {name}()([2, 3]).shape\n"
    about += "    TensorShape([2, 3])\n    "
    body = {"_settings_": ("seed", "input_axes", "output_axes"), "__module__": __name__}
    return type(name, (VarianceScaling,), {**body, "__init__": start, "__doc__": about})


GlorotUniform = _scaling("GlorotUniform", 1.0, "fan_avg", "uniform")
GlorotNormal = _scaling("GlorotNormal", 1.0, "fan_avg", "truncated_normal")
HeUniform = _scaling("HeUniform", 2.0, "fan_in", "uniform")
HeNormal = _scaling("HeNormal", 2.0, "fan_in", "truncated_normal")
LecunUniform = _scaling("LecunUniform", 1.0, "fan_in", "uniform")
LecunNormal = _scaling("LecunNormal", 1.0, "fan_in", "truncated_normal")
