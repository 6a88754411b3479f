"""The base class of metrics, numbers that are updated batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from tapeviz.tf.keras import naming
from tapeviz.tf.keras.dtype_policy import dtype_told
from tapeviz.tf.keras.floats import floatx
from tapeviz.tf.keras.serialization import Configured
from tapeviz.tf.keras.variable import Variable


class Metric(Configured):
    """A number that is updated batch by batch (`tf.keras.metrics.Metric`).

    Subclasses define `update_state` and `result`.

    A call of a metric updates it and returns the result.

    Args:
        dtype: the dtype of its state.
        name: its name.

    >>> class Count(Metric):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.seen = self.add_weight(name="seen", initializer="zeros")
    ...
    ...     def update_state(self, values):
    ...         self.seen.assign_add(len(values))
    ...
    ...     def result(self):
    ...         return self.seen
    >>> float(Count()([4.0, 5.0]))
    2.0
    """

    _module_ = "keras.metrics"
    _settings_: ClassVar[tuple[str, ...]] = ("name", "dtype")
    _direction_: str | None = None
    """Whether "up" or "down" is better, for callbacks that monitor the metric; None if that is unknown."""

    def __init__(self, dtype: Any = None, name: str | None = None) -> None:
        self._own_: list[Variable] = []
        self.name = name or naming.named_after(self)
        self.dtype = dtype_told(dtype or floatx()).name

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Variable):
            self._keep_(value)
        super().__setattr__(name, value)

    def _keep_(self, variable: Variable) -> None:
        if all(variable is not known for known in self._own_):
            self._own_.append(variable)

    @property
    def variables(self) -> list[Variable]:
        """The variables of its state, then those of the metrics in its attributes."""
        return self._own_ + [each for metric in _metrics_in(list(vars(self).values())) for each in metric.variables]

    def add_variable(
        self, shape: Any, initializer: Any, dtype: Any = None, aggregation: str = "sum", name: str | None = None
    ) -> Variable:
        """Add a variable to the metric's state, by default with the dtype `floatx`; tapes do not watch it."""
        with naming.within(self.name.replace("/", ">")):
            variable = Variable(initializer, shape, dtype, trainable=False, name=name)
        self._keep_(variable)
        return variable

    def add_weight(
        self, shape: Any = (), initializer: Any = None, dtype: Any = None, name: str | None = None
    ) -> Variable:
        """Another name of `add_variable`, with the arguments in another order."""
        return self.add_variable(shape, initializer, dtype, name=name)

    def update_state(self, *args: Any, **kwargs: Any) -> None:
        """Update the state with a batch."""
        raise NotImplementedError(f"{type(self).__name__} must define update_state.")

    def result(self) -> Any:
        """The value for all batches so far, as a tensor."""
        raise NotImplementedError(f"{type(self).__name__} must define result.")

    def reset_state(self) -> None:
        """Reset the state to zeros."""
        for variable in self.variables:
            variable.assign(np.zeros_like(variable._value))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.update_state(*args, **kwargs)
        return self.result()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"


def _metrics_in(value: Any) -> Iterator[Metric]:
    """The metrics in an attribute, also those inside lists and dicts."""
    if isinstance(value, Metric):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _metrics_in(each)
