"""Gradients -> gradients clipped by norm or by value."""

from __future__ import annotations

import numpy as np

from tapeviz.engine.rules.rounding import is_narrow
from tapeviz.tf.keras.optimizers.gradient_array import GradientArray
from tapeviz.tf.keras.serialization import Configured


class Clipping(Configured):
    """Mixin of `Optimizer`: gradient clipping (`clipnorm`, `clipvalue`, `global_clipnorm`)."""

    def _limit_(self, clipnorm: float | None, clipvalue: float | None, global_clipnorm: float | None) -> None:
        if sum(each is not None for each in (clipnorm, clipvalue, global_clipnorm)) > 1:
            raise ValueError(
                "Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set. "
                f"Received: clipnorm={clipnorm}, clipvalue={clipvalue}, global_clipnorm={global_clipnorm}"
            )
        self.clipnorm, self.clipvalue, self.global_clipnorm = clipnorm, clipvalue, global_clipnorm

    def _clipped_(self, gradients: list[GradientArray]) -> list[GradientArray]:
        """The gradients clipped by their norms, by their global norm, or by value; 0 is no limit."""
        norm, whole, size = self.clipnorm, self.global_clipnorm, self.clipvalue
        if norm and norm > 0:
            return [_within(each, norm) for each in gradients]
        if whole and whole > 0:
            length = _length(gradients)
            scale = whole * min(1.0 / length if length else np.inf, 1.0 / whole)
            scale += length - length  # NaN where the length is not finite
            return [GradientArray(each.value * scale) for each in gradients]
        if size and size > 0:
            return [each.through(lambda g: np.clip(g, -size, size)) for each in gradients]
        return gradients


def _within(gradient: GradientArray, norm: float) -> GradientArray:
    """A gradient of at most a norm, in the order in which Keras computes it."""
    length = max(_length([gradient]), norm)
    return gradient.through(lambda g: g * norm / length)


def _length(gradients: list[GradientArray]) -> float:
    squares = [each.square for each in gradients]
    return float(np.sqrt(sum(np.sum(each.astype(np.float32) if is_narrow(each) else each) for each in squares)))
