"""The Adam family: optimizers with running means of the gradient and of its size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeviz.engine.rules.rounding import is_narrow, rounded
from tapeviz.engine.values.convert import unboxed
from tapeviz.tf.keras import naming
from tapeviz.tf.keras.floats import floatx
from tapeviz.tf.keras.optimizers.base import Arrays, Rate, SlottedOptimizer
from tapeviz.tf.keras.optimizers.gradient_array import GradientArray
from tapeviz.tf.keras.serialization import tells_arguments
from tapeviz.tf.keras.variable import Variable


@tells_arguments
class Adam(SlottedOptimizer):
    """Divides a running mean of the gradient by the root of a running mean of its square (`tf.keras.optimizers.Adam`).

    As in Keras, `epsilon` is added before the bias of the root is corrected, and powers of the betas are float32.

    Args:
        learning_rate: a float, a schedule, or a function without arguments.
        beta_1: how much of the mean of the gradient is kept at each step.
        beta_2: how much of the mean of its square is kept.
        epsilon: a small number that prevents a division by 0.
        amsgrad: whether the largest mean of the square so far is used.
        common: `weight_decay` and the following arguments of `Optimizer`.
        kwargs: the same by name, and the name of the optimizer.

    >>> import tapeviz as tf
    >>> w = tf.Variable(1.0)
    >>> count = tf.keras.optimizers.Adam(0.5).apply_gradients([(tf.constant(4.0), w)])
    >>> round(float(w), 4)
    0.5
    """

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        *common: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, *common, **kwargs)
        self.beta_1, self.beta_2, self.epsilon, self.amsgrad = beta_1, beta_2, epsilon, amsgrad
        self._slots_ = ({"momentum": 0.0, "velocity": 0.0}, {"velocity_hat": 0.0})[: 2 if amsgrad else 1]

    def _rule_(self, value: Any, gradient: GradientArray, memory: Arrays, rate: Any, step: Any) -> tuple[Any, Arrays]:
        first, second = (float(np.float32(each)) for each in (self.beta_1, self.beta_2))
        scale = rate * np.sqrt(1 - second**step) / (1 - first**step)
        mean = memory[0] + (gradient.value - memory[0]) * (1 - self.beta_1)
        square = memory[1] + (gradient.square - memory[1]) * (1 - self.beta_2)
        hat = [np.maximum(memory[2], square)] if self.amsgrad else []
        root = np.sqrt(hat[0] if hat else square)
        return value - mean * scale / (root + self.epsilon), [mean, square, *hat]


class AdamW(Adam):
    """`Adam` with weight decay (`tf.keras.optimizers.AdamW`).

    Args:
        learning_rate: a float, a schedule, or a function without arguments.
        weight_decay: at each step, a variable is reduced by this fraction of itself times the learning rate.
        beta_1: how much of the mean of the gradient is kept at each step.
        beta_2: how much of the mean of its square is kept.
        epsilon: a small number that prevents a division by 0.
        amsgrad: whether the largest mean of the square so far is used.
        common: `clipnorm` and the following arguments of `Optimizer`.
        kwargs: the same by name, and the name of the optimizer.

    Raises:
        ValueError: `weight_decay` is None.

    >>> import tapeviz as tf
    >>> w = tf.Variable(1.0)
    >>> count = tf.keras.optimizers.AdamW(0.5, weight_decay=0.5).apply_gradients([(tf.constant(4.0), w)])
    >>> round(float(w), 4)
    0.25
    """

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        weight_decay: float = 0.004,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        *common: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta_1, beta_2, epsilon, amsgrad, weight_decay, *common, **kwargs)
        if weight_decay is None:
            raise ValueError("Argument `weight_decay` must be a float. Received: weight_decay=None")


@tells_arguments
class Nadam(SlottedOptimizer):
    """`Adam` with Nesterov momentum (`tf.keras.optimizers.Nadam`).

    Args:
        learning_rate: a float, a schedule, or a function without arguments.
        beta_1: how much of the mean of the gradient is kept at each step.
        beta_2: how much of the mean of its square is kept.
        epsilon: a small number that prevents a division by 0.
        common: `weight_decay` and the following arguments of `Optimizer`.
        kwargs: the same by name, and the name of the optimizer.

    >>> import tapeviz as tf
    >>> w = tf.Variable(1.0)
    >>> count = tf.keras.optimizers.Nadam(0.5).apply_gradients([(tf.constant(4.0), w)])
    >>> round(float(w), 4)
    0.4686
    """

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        *common: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, *common, **kwargs)
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon
        self._slots_ = ({"momentum": 0.0, "velocity": 0.0},)
        self._product_: list[Variable] = []

    @property
    def variables(self) -> list[Variable]:
        """The variables of every optimizer, and the product of the momentum factors so far."""
        return [*super().variables, *self._product_]

    def build(self, var_list: Sequence[Any]) -> None:
        """Make the slots of the variables to be updated, and the product of the momentum factors."""
        if not self.built:
            super().build(var_list)
            dtype = var_list[0].dtype if var_list else floatx()
            self._product_ = [self._variable_(naming.unique("variable"), 1.0, dtype)]

    def _begin_(self, step: int) -> None:
        product = self._product_[0]
        now = rounded(self._multiplied_) if is_narrow(product._value) else self._multiplied_
        product._write(None, unboxed(now(product._value, product._value.dtype.type(step))), "apply_gradients")

    def _multiplied_(self, product: Any, step: Any) -> Any:
        return product * self.beta_1 * _warmth(step)

    def _rule_(self, value: Any, gradient: GradientArray, memory: Arrays, rate: Any, step: Any) -> tuple[Any, Arrays]:
        first, second, fading = (_cast(np.float32(each), value) for each in (self.beta_1, self.beta_2, FADING))
        product = _cast(self._product_[0]._value, value)
        share, next_share = (first * _warmth(each, fading) for each in (step, step + 1))
        mean = memory[0] + (gradient.value - memory[0]) * (1 - first)
        square = memory[1] + (gradient.square - memory[1]) * (1 - second)
        ahead = next_share * mean / (1 - product * next_share) + (1 - share) * gradient.value / (1 - product)
        return value - ahead * rate / (np.sqrt(square / (1 - second**step)) + self.epsilon), [mean, square]


FADING = 0.96
"""How fast Nadam's share of momentum comes up to beta_1."""


def _warmth(step: Any, fading: float = FADING) -> Any:
    """What Nadam multiplies beta_1 by at a step: a half and more, up to 1."""
    return 1 - 0.5 * fading**step


def _cast(number: Any, array: Any) -> Any:
    """A number in an array's dtype; of one that stands for bfloat16, rounded like it."""
    return +np.full_like(array, number, shape=())


@tells_arguments
class Adamax(SlottedOptimizer):
    """`Adam` with a decaying maximum of the gradient's size instead of its mean square (`tf.keras.optimizers.Adamax`).

    Args:
        learning_rate: a float, a schedule, or a function without arguments.
        beta_1: how much of the mean of the gradient is kept at each step.
        beta_2: how much of the maximum is kept.
        epsilon: a small number that prevents a division by 0.
        common: `weight_decay` and the following arguments of `Optimizer`.
        kwargs: the same by name, and the name of the optimizer.

    >>> import tapeviz as tf
    >>> w = tf.Variable(1.0)
    >>> count = tf.keras.optimizers.Adamax(0.5).apply_gradients([(tf.constant(4.0), w)])
    >>> round(float(w), 4)
    0.5
    """

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        *common: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, *common, **kwargs)
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon
        self._slots_ = ({"momentum": 0.0, "norm": 0.0},)

    def _rule_(self, value: Any, gradient: GradientArray, memory: Arrays, rate: Any, step: Any) -> tuple[Any, Arrays]:
        mean = memory[0] + (gradient.value - memory[0]) * (1 - self.beta_1)
        size = np.maximum(self.beta_2 * memory[1], gradient.through(np.abs).value)
        unbiased = 1 - float(np.float32(self.beta_1)) ** step
        return value - rate * mean / (unbiased * (size + self.epsilon)), [mean, size]
