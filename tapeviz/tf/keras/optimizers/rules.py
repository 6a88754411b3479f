"""All optimizers but the Adam family: the slots of each, and its update rule."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.tf.keras.optimizers.base import Arrays, Optimizer, Rate, SlottedOptimizer
from tapeviz.tf.keras.optimizers.gradient_array import GradientArray
from tapeviz.tf.keras.serialization import tells_arguments


@tells_arguments
class SGD(Optimizer):
    """Gradient descent, with or without momentum (`tf.keras.optimizers.SGD`).

    Args:
        learning_rate: a float, a schedule, or a function without arguments.
        momentum: how much of the last step is added to the next one.
        nesterov: whether it is Nesterov's momentum.
        common: `weight_decay` and the following arguments of `Optimizer`.
        kwargs: the same by name, and the name of the optimizer.

    Raises:
        ValueError: `momentum` is not a float in [0, 1].

    >>> import tapeviz as tf
    >>> w = tf.Variable(1.0)
    >>> count = tf.keras.optimizers.SGD(0.5).apply_gradients([(tf.constant(1.0), w)])
    >>> float(w)
    0.5
    """

    def __init__(
        self, learning_rate: Rate = 0.01, momentum: float = 0.0, nesterov: bool = False, *common: Any, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate, *common, **kwargs)
        if not isinstance(momentum, float) or not 0 <= momentum <= 1:
            raise ValueError("`momentum` must be a float between [0, 1].")
        self.momentum, self.nesterov = momentum, nesterov
        self._slots_ = ({"momentum": 0.0},) if momentum else ()
        self._spreads_ = self._assigned_ = bool(momentum)

    def _rule_(self, value: Any, gradient: GradientArray, memory: Arrays, rate: Any, step: Any) -> tuple[Any, Arrays]:
        if not memory:
            return value - gradient.value * rate, []
        share = float(np.float32(self.momentum))
        speed = memory[0] * share - gradient.value * rate
        return value + (speed * share - gradient.value * rate if self.nesterov else speed), [speed]


@tells_arguments
class RMSprop(SlottedOptimizer):
    """Divides the gradient by the root of a running mean of its square (`tf.keras.optimizers.RMSprop`).

    Args:
        learning_rate: a float, a schedule, or a function without arguments.
        rho: how much of the mean is kept at each step.
        momentum: how much of the last step is added to the next one.
        epsilon: a small number that prevents a division by 0.
        centered: whether the variance of the gradient is used instead of its mean square.
        common: `weight_decay` and the following arguments of `Optimizer`.
        kwargs: the same by name, and the name of the optimizer.

    >>> import tapeviz as tf
    >>> w = tf.Variable(1.0)
    >>> count = tf.keras.optimizers.RMSprop(0.1, rho=0.75).apply_gradients([(tf.constant(3.0), w)])
    >>> round(float(w), 4)
    0.8
    """

    _assigned_ = True

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-7,
        centered: bool = False,
        *common: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, *common, **kwargs)
        self.rho, self.momentum, self.epsilon, self.centered = rho, momentum, epsilon, centered
        wanted = {"velocity": True, "momentum": momentum > 0, "average_gradient": centered}
        self._slots_ = tuple({name: 0.0} for name, needed in wanted.items() if needed)

    def _rule_(self, value: Any, gradient: GradientArray, memory: Arrays, rate: Any, step: Any) -> tuple[Any, Arrays]:
        known = dict(zip((name for group in self._slots_ for name in group), memory, strict=True))
        known["velocity"] = self.rho * known["velocity"] + (1 - self.rho) * gradient.square
        spread = known["velocity"] + self.epsilon
        if self.centered:
            known["average_gradient"] = self.rho * known["average_gradient"] + (1 - self.rho) * gradient.value
            spread = known["velocity"] - np.square(known["average_gradient"]) + self.epsilon
        change = rate * gradient.value / np.sqrt(spread)
        if "momentum" in known:
            change = known["momentum"] = self.momentum * known["momentum"] + change
        return value - change, list(known.values())


@tells_arguments
class Adagrad(SlottedOptimizer):
    """Divides the gradient by the root of the sum of its squares so far (`tf.keras.optimizers.Adagrad`).

    Args:
        learning_rate: a float, a schedule, or a function without arguments.
        initial_accumulator_value: the sum before the first step.
        epsilon: a small number that prevents a division by 0.
        common: `weight_decay` and the following arguments of `Optimizer`.
        kwargs: the same by name, and the name of the optimizer.

    >>> import tapeviz as tf
    >>> w = tf.Variable(1.0)
    >>> adagrad = tf.keras.optimizers.Adagrad(0.5, initial_accumulator_value=0.0)
    >>> count = adagrad.apply_gradients([(tf.constant(4.0), w)])
    >>> round(float(w), 4)
    0.5
    """

    _spreads_ = False

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float = 1e-7,
        *common: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, *common, **kwargs)
        self.initial_accumulator_value, self.epsilon = initial_accumulator_value, epsilon
        self._slots_ = ({"accumulator": float(np.float32(initial_accumulator_value))},)

    def _rule_(self, value: Any, gradient: GradientArray, memory: Arrays, rate: Any, step: Any) -> tuple[Any, Arrays]:
        total = memory[0] + gradient.square
        return value - rate * gradient.value / np.sqrt(total + self.epsilon), [total]


@tells_arguments
class Adadelta(SlottedOptimizer):
    """Scales the gradient to the size of the last steps, by running means of squares (`tf.keras.optimizers.Adadelta`).

    Args:
        learning_rate: a float, a schedule, or a function without arguments.
        rho: how much of the means is kept at each step.
        epsilon: a small number that prevents a division by 0.
        common: `weight_decay` and the following arguments of `Optimizer`.
        kwargs: the same by name, and the name of the optimizer.

    >>> import tapeviz as tf
    >>> w = tf.Variable(1.0)
    >>> count = tf.keras.optimizers.Adadelta(1.0, rho=0.75, epsilon=1.0).apply_gradients([(tf.constant(2.0), w)])
    >>> round(float(w), 4)
    -0.4142
    """

    _assigned_ = True

    def __init__(
        self, learning_rate: Rate = 0.001, rho: float = 0.95, epsilon: float = 1e-7, *common: Any, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate, *common, **kwargs)
        self.rho, self.epsilon = rho, epsilon
        self._slots_ = ({"accumulated_grad": 0.0, "accumulated_delta_var": 0.0},)

    def _rule_(self, value: Any, gradient: GradientArray, memory: Arrays, rate: Any, step: Any) -> tuple[Any, Arrays]:
        squares = self.rho * memory[0] + (1 - self.rho) * gradient.square
        last, now = (np.sqrt(each + self.epsilon) for each in (memory[1], squares))
        change = gradient.through(lambda g, last, now: -(last * g / now), last, now)
        return value + rate * change.value, [squares, self.rho * memory[1] + (1 - self.rho) * change.square]


@tells_arguments
class Lion(SlottedOptimizer):
    """Steps whose size is the learning rate, in the direction of a running mean's sign (`tf.keras.optimizers.Lion`).

    Chen et al., 2023, Symbolic Discovery of Optimization Algorithms.

    Args:
        learning_rate: a number, a schedule or a function.
        beta_1: how much of the running mean the direction of a step consists of; the rest is the gradient.
        beta_2: how much of the running mean is kept in each step.
        common: the arguments of every optimizer, as `kwargs`.

    Raises:
        ValueError: `beta_1` is not above 0 and at most 1.

    >>> import tapeviz as tf
    >>> w = tf.Variable(1.0)
    >>> count = tf.keras.optimizers.Lion(0.25).apply_gradients([(tf.constant(4.0), w)])
    >>> float(w)
    0.75
    """

    _assigned_ = True

    def __init__(
        self, learning_rate: Rate = 0.001, beta_1: float = 0.9, beta_2: float = 0.99, *common: Any, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate, *common, **kwargs)
        if not 0 < beta_1 <= 1:
            raise ValueError(
                "Argument `beta_1` must be in the [0, 1] range. Otherwise, the optimizer degenerates to SignSGD. "
                f"Received: beta_1={beta_1}."
            )
        self.beta_1, self.beta_2 = beta_1, beta_2
        self._slots_ = ({"momentum": 0.0},)

    def _rule_(self, value: Any, gradient: GradientArray, memory: Arrays, rate: Any, step: Any) -> tuple[Any, Arrays]:
        first, second = (value.dtype.type(each) for each in (self.beta_1, self.beta_2))
        direction = np.sign(memory[0] * first + gradient.value * (1 - first))
        return value - rate * direction, [memory[0] * second + gradient.value * (1 - second)]


@tells_arguments
class Ftrl(SlottedOptimizer):
    """Follows the regularized leader: weights that matter little stay at 0 (`tf.keras.optimizers.Ftrl`).

    Args:
        learning_rate: a number, a schedule or a function.
        learning_rate_power: how fast steps become shorter, at most 0; 0 for steps of one length.
        initial_accumulator_value: where the sum of the gradient's squares starts.
        l1_regularization_strength: the strength of the penalty of absolute values.
        l2_regularization_strength: of that of squares.
        l2_shrinkage_regularization_strength: of that of squares that only the loss gets.
        beta: is added to the root of the sum.
        common: the arguments of every optimizer.
        kwargs: those as well.

    Raises:
        ValueError: a power above 0, or another number below.

    >>> import tapeviz as tf
    >>> w = tf.Variable(1.0)
    >>> ftrl = tf.keras.optimizers.Ftrl(0.5, initial_accumulator_value=0.0)
    >>> count = ftrl.apply_gradients([(tf.constant(4.0), w)])
    >>> float(w)
    0.5
    """

    learning_rate_power: float
    l1_regularization_strength: float
    l2_regularization_strength: float
    l2_shrinkage_regularization_strength: float

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float = 0.0,
        *common: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, *common, **kwargs)
        told = {
            "initial_accumulator_value": initial_accumulator_value,
            "learning_rate_power": learning_rate_power,
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
            "l2_shrinkage_regularization_strength": l2_shrinkage_regularization_strength,
        }
        for name, number in told.items():
            sign = -1 if name == "learning_rate_power" else 1
            if sign * number < 0:
                raise ValueError(
                    f"`{name}` needs to be {'positive' if sign > 0 else 'negative'} or zero. Received: {name}={number}."
                )
            setattr(self, name, number)
        self.beta = beta
        self._slots_ = ({"accumulator": float(np.float32(initial_accumulator_value)), "linear": 0.0},)

    def _rule_(self, value: Any, gradient: GradientArray, memory: Arrays, rate: Any, step: Any) -> tuple[Any, Arrays]:
        power, ridge = -self.learning_rate_power, self.l2_regularization_strength + self.beta / (2.0 * rate)
        total, linear = memory
        new_total = total + gradient.square
        shrunk = gradient.value + 2 * self.l2_shrinkage_regularization_strength * value
        linear = linear + (shrunk - (new_total**power - total**power) / rate * value)
        lasso = np.clip(linear, -self.l1_regularization_strength, self.l1_regularization_strength)
        return (lasso - linear) / (new_total**power / rate + 2 * ridge), [new_total, linear]
