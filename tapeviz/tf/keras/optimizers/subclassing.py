"""Methods that subclasses of optimizers call in `build` and `update_step`, to make and to change variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.engine.backward.indexed_slices import IndexedSlices
from tapeviz.engine.functions.array.conversions import cast
from tapeviz.tf.keras import naming
from tapeviz.tf.keras.serialization import Configured
from tapeviz.tf.keras.variable import Variable


class Owning(Configured):
    """Mixin of `Optimizer`: methods for subclasses, to make and to change variables."""

    name: str
    loss_scale_factor: float | None
    _own_: list[Variable]
    _places_: dict[int, int]
    _trained_: list[Any]

    def add_variable(
        self,
        shape: Any,
        initializer: Any = "zeros",
        dtype: Any = None,
        aggregation: str = "none",
        layout: Any = None,
        name: str | None = None,
    ) -> Variable:
        """A new variable of the optimizer, listed in its `variables`.

        >>> import tapeviz as tf
        >>> tf.keras.optimizers.SGD().add_variable((2,), name="speed").numpy().tolist()
        [0.0, 0.0]
        """
        with naming.within(naming.below(self.name)):
            own = Variable(initializer, shape=shape, dtype=dtype, trainable=False, name=name)
        self._own_.append(own)
        return own

    def add_variable_from_reference(
        self, reference_variable: Any, name: str | None = None, initializer: Any = "zeros"
    ) -> Variable:
        """A new variable with the shape and dtype of one that is trained, and named after it.

        >>> import tapeviz as tf
        >>> w = tf.keras.Variable([1.0, 2.0], name="w")
        >>> tf.keras.optimizers.SGD(name="sgd").add_variable_from_reference(w, "speed").path
        'sgd/w_speed'
        """
        name = f"{named_after(reference_variable)}_{name or 'var'}"
        return self.add_variable(reference_variable.shape, initializer, reference_variable.dtype.name, name=name)

    def add_optimizer_variables(self, trainable_variables: Sequence[Any], name: Any, initializer: Any = "zeros") -> Any:
        """A list of new variables, one for each variable that is trained; with several names, a list for each name."""
        if isinstance(name, str):
            return [self.add_variable_from_reference(each, name, initializer) for each in trainable_variables]
        starts = [initializer] * len(name) if isinstance(initializer, str) else initializer
        pairs = list(zip(name, starts, strict=True))
        made = [[self.add_variable_from_reference(each, *pair) for pair in pairs] for each in trainable_variables]
        return tuple(map(list, zip(*made, strict=True)))

    @property
    def built(self) -> bool:
        """Whether `build` was called."""
        return bool(self._trained_)

    @property
    def variables(self) -> list[Variable]:
        """All variables of the optimizer."""
        raise NotImplementedError

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Assign arrays to `variables`, in order.

        Raises:
            ValueError: the optimizer was not built, or an array does not have the shape of its variable.
        """
        if not self.built:
            raise ValueError(
                "You are calling `set_weights()` on an optimizer that has not yet been built. Please call "
                "`optimizer.build(trainable_variables)` to create the optimizer weights before calling `set_weights()`."
            )
        for variable, weight in zip(self.variables, weights, strict=False):
            if variable.shape != weight.shape:
                raise ValueError(
                    f"Optimizer variable {variable.path} has shape {variable.shape} not compatible with provided "
                    f"weight shape {weight.shape}."
                )
            variable.assign(weight)

    def _get_variable_index(self, variable: Any) -> int:
        """The index of a variable among those that are trained, and so in lists made by `build`."""
        return self._places_[variable._id]

    def assign(self, variable: Any, value: Any) -> None:
        """Assign a value to a variable; `IndexedSlices` are assigned to their rows."""
        _written(variable, value, "assign", "scatter_update")

    def assign_add(self, variable: Any, value: Any) -> None:
        """Add a value to a variable; `IndexedSlices` are added to their rows."""
        _written(variable, value, "assign_add", "scatter_add")

    def assign_sub(self, variable: Any, value: Any) -> None:
        """Subtract a value from a variable; `IndexedSlices` are subtracted from their rows."""
        _written(variable, value, "assign_sub", "scatter_sub")


def _written(variable: Any, value: Any, whole: str, rows: str) -> None:
    """Call the variable's method for a whole value, or the one for some of its rows."""
    held = variable.value if isinstance(variable, Variable) else variable
    value = cast(value, held.dtype)
    getattr(held, rows if isinstance(value, IndexedSlices) else whole)(value)


def named_after(variable: Any) -> str:
    """The prefix of the names of a variable's slots.

    >>> import tapeviz as tf
    >>> named_after(tf.Variable(1.0, name="w"))
    'w_0'
    """
    return str(getattr(variable, "path", variable.name)).replace("/", "_").replace(":", "_")
