"""Gradients and variables -> updated variables: what all optimizers have in common."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Self

import numpy as np

from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.engine.notes import note_raised
from tapeviz.engine.rules.rounding import is_narrow, rounded
from tapeviz.engine.tensors.missing_attributes import Absent
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.convert import array_of, unboxed
from tapeviz.tf.keras import naming
from tapeviz.tf.keras.optimizers.accumulating import Accumulating
from tapeviz.tf.keras.optimizers.averaging import Averaging
from tapeviz.tf.keras.optimizers.clipping import Clipping
from tapeviz.tf.keras.optimizers.decaying import Decaying
from tapeviz.tf.keras.optimizers.gradient_array import GradientArray
from tapeviz.tf.keras.optimizers.gradient_errors import present, unfit
from tapeviz.tf.keras.optimizers.learning_rate import LearningRate
from tapeviz.tf.keras.optimizers.noting import note_after, note_before
from tapeviz.tf.keras.optimizers.schedules.base import LearningRateSchedule
from tapeviz.tf.keras.optimizers.slots import Remembering
from tapeviz.tf.keras.optimizers.subclassing import Owning
from tapeviz.tf.keras.serialization import deserialized, plain
from tapeviz.tf.keras.variable import Variable

Arrays = list[Any]
Rate = float | LearningRateSchedule | Callable[[], Any]


class Optimizer(Remembering, LearningRate, Clipping, Accumulating, Averaging, Decaying, Owning):
    """Changes variables by their gradients (`tf.keras.optimizers.Optimizer`).

    Subclass it with `update_step` and, if it needs state, `build`.

    Args:
        learning_rate: a float, a schedule, or a function without arguments.
        weight_decay: at each step, a variable is reduced by this fraction of itself times the learning rate.
        clipnorm: the largest norm of each gradient; `global_clipnorm` is that of all gradients together.
        clipvalue: the largest absolute value of each number of a gradient.
        use_ema: whether to keep an exponential moving average of each variable, with `ema_momentum`. The averages are
            assigned to the variables by `finalize_variable_values`, and at every `ema_overwrite_frequency`-th step.
        loss_scale_factor: the factor by which the loss was multiplied; gradients are divided by it.
        gradient_accumulation_steps: the number of calls whose mean gradients make one step.

    Raises:
        ValueError: an unknown argument, an invalid learning rate, two kinds of clipping, or a number out of range.

    >>> import tapeviz as tf
    >>> class Signs(Optimizer):
    ...     def update_step(self, gradient, variable, learning_rate):
    ...         variable.assign_sub(learning_rate * tf.sign(gradient))
    >>> w = tf.Variable(1.0)
    >>> count = Signs(0.5).apply_gradients([(tf.constant(7.0), w)])
    >>> float(w)
    0.5
    """

    _module_ = "keras.optimizers"
    _settings_: ClassVar[tuple[str, ...]] = (
        "name", "learning_rate", "weight_decay", "clipnorm", "global_clipnorm", "clipvalue", "use_ema", "ema_momentum",
        "ema_overwrite_frequency", "loss_scale_factor", "gradient_accumulation_steps",
    )  # fmt: skip
    minimize = Absent(
        "minimize",
        "Those of Keras 3 take gradients: optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables)).",
    )
    _spreads_ = True
    """Whether a gradient may be broadcast to the shape of its variable."""
    _assigned_ = False
    """Whether a step assigns a new value to the first slot, rather than adding to it."""

    def __init__(
        self,
        learning_rate: Any,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        if kwargs.pop("decay", None) is not None:
            warnings.warn("Argument `decay` is no longer supported and will be ignored.", stacklevel=3)
        if kwargs:
            raise ValueError(f"Argument(s) not recognized: {kwargs}")
        self.name = naming.named_after(self) if name is None else naming.checked(name)
        self._limit_(clipnorm, clipvalue, global_clipnorm)
        self._accumulate_(gradient_accumulation_steps)
        self._keep_means_(use_ema, ema_momentum, ema_overwrite_frequency)
        self.loss_scale_factor, self.weight_decay = loss_scale_factor, weight_decay
        self._number_: int | None = None
        self._slots_ = ()
        self._places_: dict[int, int] = {}
        self._memory_: list[list[Variable]] = []
        self._trained_: list[Any] = []
        self._own_: list[Variable] = []
        self._calls_ = self._variable_("iteration", 0, "int64")
        self._learn_at_(learning_rate)

    def __setattr__(self, name: str, value: Any) -> None:
        """Settings given as NumPy scalars, tensors or variables are converted to Python numbers."""
        if name in self._settings_ and isinstance(value, (np.generic, np.ndarray, TensorLike)) and not np.ndim(value):
            value = np.asarray(value).item()
        super().__setattr__(name, value)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a copied optimizer; its variables are copies with new ids."""
        self.__dict__.update(
            state, _number_=None, _places_={each._id: place for place, each in enumerate(state["_trained_"])}
        )

    # ----- to be overridden -----

    def _rule_(self, value: Any, gradient: GradientArray, memory: Arrays, rate: Any, step: Any) -> tuple[Any, Arrays]:
        """The new values of a variable and of its slots, as arrays; the first `step` is 1."""
        raise NotImplementedError(
            f"{type(self).__name__} must define update_step(self, gradient, variable, learning_rate)."
        )

    def _begin_(self, step: int) -> None:
        """Called once in each step, before any variable changes."""

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Update one variable with its gradient, a tensor or `IndexedSlices`.

        >>> import tapeviz as tf
        >>> class Plain(Optimizer):
        ...     def update_step(self, gradient, variable, learning_rate):
        ...         variable.assign_sub(learning_rate * gradient)
        >>> w = tf.Variable(1.0)
        >>> Plain(0.5).apply([tf.constant(1.0)], [w])
        >>> float(w)
        0.5
        """
        self._change_(
            variable, gradient, GradientArray.of(gradient, variable), array_of(learning_rate), variable._value
        )

    # ----- its state -----

    @property
    def iterations(self) -> Any:
        """The number of steps so far."""
        calls, steps = self._calls_, self.gradient_accumulation_steps
        return tf["math.floordiv"](calls, steps) if steps else calls

    def get_config(self) -> dict[str, Any]:
        """The arguments of `__init__`, with the current learning rate."""
        rate = float(self._learning_rate) if isinstance(self._learning_rate, Variable) else plain(self._learning_rate)
        return super().get_config() | {"learning_rate": rate}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Self:
        """A new optimizer from a config; `custom_objects` are the user's classes of schedules by their names."""
        given = dict(**config)
        if "learning_rate" in given:
            given["learning_rate"] = deserialized(given["learning_rate"], custom_objects)
        return super().from_config(given)

    # ----- a step -----

    def scale_loss(self, loss: Any) -> Any:
        """The loss times `loss_scale_factor`, from which the gradients are to be computed."""
        return loss if self.loss_scale_factor is None else loss * self.loss_scale_factor

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Any]]) -> Any:
        """Update variables with their gradients, except where the gradient is None. Returns the number of calls so far.

        Raises:
            ValueError: all gradients are None, or a variable was not among those of the first step.
        """
        with _noted():
            gradients, variables = zip(*grads_and_vars, strict=False)  # raises the errors of Keras
            self.apply(gradients, variables)
            return self._calls_

    def apply(self, grads: Sequence[Any], trainable_variables: Sequence[Any] | None = None) -> None:
        """Like `apply_gradients`, with gradients and variables in two sequences.

        By default the variables are those of the first step.

        Raises:
            ValueError: without variables: there was no step yet, or the number of gradients differs from that step's.
        """
        if not len(grads):
            return
        with _noted():
            if trainable_variables is None and not self._trained_:
                raise ValueError(
                    "apply(gradients) needs the variables: give them, or call optimizer.build(variables) before."
                )
            if trainable_variables is None and len(grads) != len(self._trained_):
                raise ValueError(
                    f"apply got {len(grads)} gradients for the {len(self._trained_)} variables that the optimizer was "
                    "built for: give one for each."
                )
            self._apply_(grads, list(self._trained_ if trainable_variables is None else trainable_variables))

    def _apply_(self, grads: Sequence[Any], variables: list[Any]) -> None:
        if not grads:
            return
        if not self.built:  # an overridden `build` may not check this
            self.build(variables)
        for variable in variables:
            self._require_variable_(variable)
            if variable._id not in self._places_:
                raise ValueError(
                    f"Unknown variable: {variable!r} is none that the optimizer was built for. Make another one."
                )
        pairs = present(list(zip(grads, variables, strict=False)))
        gradients = [GradientArray.of(*pair) for pair in pairs]
        if self.loss_scale_factor is not None:
            gradients = [each.over(self.loss_scale_factor) for each in gradients]
        sums = [each._value for each in self._accumulated_]
        if self.gradient_accumulation_steps:
            gradients = self._collected_(gradients, [variable for _, variable in pairs])
        if gradients:
            self._step_(self._clipped_(gradients), pairs, sums)
        if self.use_ema:
            self._average_()
        self._calls_.assign_add(1)

    def _step_(self, gradients: list[GradientArray], pairs: list[tuple[Any, Any]], sums: list[Any]) -> None:
        """Update the variables of `pairs`, each of a gradient as the user passed it and a variable.

        `sums` are those of the gradients of earlier calls, if there are any.
        """
        learning_rate = self.learning_rate
        rate = array_of(learning_rate)
        note_before(self, pairs, rate, sums)
        self._begin_(self._steps_so_far_() + 1)
        for gradient, (given, variable) in zip(gradients, pairs, strict=True):
            value = self._decayed_(variable, rate)
            if type(self).update_step is Optimizer.update_step:
                self._change_(variable, given, gradient, rate, value)
            else:
                if value is not variable._value:
                    variable._write(None, unboxed(value), "apply_gradients")
                held = variable.value if isinstance(variable, Variable) else variable
                self.update_step(gradient.as_given(given), held, learning_rate)
        for _, variable in pairs:
            if variable.constraint is not None:
                variable.assign(variable.constraint(variable))
        note_after(self, pairs)

    def _change_(self, variable: Any, given: Any, gradient: GradientArray, rate: Any, value: Any) -> None:
        """Assign the result of the rule for a value of the variable, and update the slots."""
        kind = variable._value.dtype.type
        memory = self._memory_[self._places_[variable._id]]
        if not gradient.fits(value.shape, self._spreads_):
            advice = f"{self.name} got it as the gradient of {getattr(variable, 'path', variable.name)}."
            first = memory[0] if self._assigned_ else None
            raise unfit(value.shape, gradient.value.shape, spreads=self._spreads_, assigned=first, advice=advice)
        gradient = gradient.cast(value.dtype)
        rule = rounded(self._rule_) if is_narrow(variable._value) else self._rule_
        known, rate, step = [slot._value for slot in memory], kind(np.float32(rate)), kind(self._steps_so_far_() + 1)
        value, remembered = rule(value, gradient, known, rate, step)
        for slot, new in zip(memory, remembered, strict=True):
            slot._write(None, unboxed(new), "apply_gradients")
        variable._write(getattr(given, "values", given), unboxed(value), "apply_gradients")


@contextmanager
def _noted() -> Iterator[None]:
    """Record errors of a call in the log, so that their cause can be explained."""
    try:
        yield
    except Exception as error:
        note_raised(error)
        raise


class SlottedOptimizer(Optimizer):
    """The base class of optimizers that have slots, whatever their arguments are.

    In Keras the `build` of these, unlike that of `Optimizer` and `SGD`, has an argument `var_list`.
    """

    def build(self, var_list: Sequence[Any]) -> None:
        """Make the slots of the variables to be trained."""
        super().build(var_list)
