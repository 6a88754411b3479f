"""What a layer owns: weights, the layers in its attributes, their metrics, a name and a path."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.functions.array.creation import is_tensor
from tapeviz.tf.keras import constraints, floats, initializers, naming, regularizers
from tapeviz.tf.keras.dtype_policy import DTypePolicy, dtype_told, standard_dtype
from tapeviz.tf.keras.layers.base.output_specs import placing
from tapeviz.tf.keras.layers.base.rebuilding import Remade
from tapeviz.tf.keras.layers.base.tracking import Holder
from tapeviz.tf.keras.metrics.base import Metric
from tapeviz.tf.keras.variable import Variable


class Owner(Holder, Remade):
    """The base of `Layer` that has weights, its own and those of the layers in its attributes."""

    _module_ = "keras.layers"
    _settings_: ClassVar[tuple[str, ...]] = ("name", "trainable", "dtype_policy")
    path: str | None = None

    def __init__(self, name: str | None, dtype: Any, trainable: bool) -> None:
        if not isinstance(trainable, bool):
            raise ValueError(
                f"Expected `trainable` to be a boolean. Received: trainable={trainable} (of type {type(trainable)})"
            )
        self._losses: list[Any] = []
        self.name = naming.named_after(self) if name is None else naming.checked(name)
        self._dtype_ = dtype_told(floats.of_layers() if dtype is None else dtype)
        self._trainable = trainable

    def add_weight(
        self,
        *args: Any,
        shape: Any = None,
        initializer: Any = None,
        dtype: Any = None,
        trainable: bool = True,
        autocast: bool = True,
        regularizer: Any = None,
        constraint: Any = None,
        aggregation: str = "none",
        overwrite_with_gradient: bool = False,
        name: str | None = None,
    ) -> Variable:
        """Make a weight.

        The penalty of its `regularizer` is among the layer's `losses`. Its `constraint` is applied after each step of
        an optimizer.

        Args:
            shape: its shape.
            initializer: a name or an initializer; by default "glorot_uniform", for integers "zeros".
            dtype: its dtype, by default that of the layer.
            trainable: whether it is trained.
            autocast: ignored, as are `aggregation` and `overwrite_with_gradient`.
            regularizer: a name or a regularizer.
            constraint: a name or a constraint.

        Raises:
            ValueError: an unknown initializer, regularizer, constraint or dtype, a name instead of a shape, or the
                layer is built already.
            RuntimeError: `super().__init__()` was not called before.
        """
        self._require_start_()
        shape, initializer, dtype = _placed(args, shape, initializer, dtype)
        kind = self._dtype_ if dtype is None else standard_dtype(dtype)
        start = ("glorot_uniform" if kind.is_floating else "zeros") if initializer is None else initializer
        if not is_tensor(start) and not isinstance(start, np.ndarray):
            start = initializers.get(start)
        with naming.within(self.path or naming.below(self.name)):
            weight = Variable(start, () if shape is None else shape, kind, trainable, name=name)
        self._held_.take(weight)
        weight.trainable = weight.trainable and self._trainable
        weight.regularizer, weight.constraint = regularizers.get(regularizer), constraints.get(constraint)
        return weight

    def add_variable(self, shape: Any, initializer: Any, *args: Any, **kwargs: Any) -> Variable:
        """The former name of `add_weight`."""
        return self.add_weight(shape, initializer, *args, **kwargs)

    def _require_start_(self) -> None:
        if "name" not in self.__dict__:
            raise RuntimeError(
                f"In layer {type(self).__name__!r}, you forgot to call `super().__init__()` as the first statement in "
                "the `__init__()` method. Go add it!"
            )

    @property
    def _sublayers_(self) -> list[Owner]:
        """The layers in its attributes, lists, dicts and sets of layers included."""
        return list(self._held_.layers)

    @property
    def weights(self) -> list[Variable]:
        """All weights: its own, the trainable ones first, and those of its sublayers."""
        held = self._held_
        every = [*held.trained, *held.fixed]
        for layer in self._sublayers_:
            every += layer.weights
        return each_once(every)

    @property
    def variables(self) -> list[Variable]:
        """All variables: its own weights, the states of its seed generators, and the variables of its sublayers."""
        held = self._held_
        every = [*held.trained, *held.fixed, *(each.state for each in held.seeds)]
        for layer in self._sublayers_:
            every += layer.variables
        return each_once(every)

    @property
    def trainable_weights(self) -> list[Variable]:
        """The weights that are trained."""
        return [each for each in self.weights if each.trainable] if self._trainable else []

    @property
    def non_trainable_weights(self) -> list[Variable]:
        """The weights that are not trained."""
        return [each for each in self.weights if not (each.trainable and self._trainable)]

    @property
    def trainable_variables(self) -> list[Variable]:
        """The variables that are trained."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list[Variable]:
        """The variables that are not trained."""
        return [each for each in self.variables if not (each.trainable and self._trainable)]

    @property
    def metrics(self) -> list[Metric]:
        """The metrics in its attributes and in those of its sublayers, each once."""
        return each_once([*self._held_.metrics, *(each for layer in self._sublayers_ for each in layer.metrics)])

    @property
    def metrics_variables(self) -> list[Variable]:
        """The variables of its metrics, which are not among its weights."""
        return [variable for metric in self.metrics for variable in metric.variables]

    @property
    def trainable(self) -> bool:
        """Whether its weights are trained.

        Setting it sets it for all sublayers and weights that were made to be trained.
        """
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        if bool(value) == self._trainable:
            return
        self._trainable = bool(value)
        for weight in self._held_.trained:
            weight.trainable = self._trainable
        for layer in self._sublayers_:
            layer.trainable = value

    @property
    def dtype(self) -> str:
        return self._dtype_.name

    @property
    def compute_dtype(self) -> str:
        """The dtype that it computes in, which is that of its weights."""
        return self.dtype

    variable_dtype = input_dtype = compute_dtype

    @property
    def dtype_policy(self) -> DTypePolicy:
        """The dtype as a policy object."""
        return DTypePolicy(self.dtype)

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor as plain values. A subclass adds its own."""
        return {"dtype" if name == "dtype_policy" else name: value for name, value in super().get_config().items()}

    def count_params(self) -> int:
        """The number of elements of its weights."""
        return sum(each._value.size for each in self.weights)

    def get_weights(self) -> list[Any]:
        """The values of its weights, as a list of arrays."""
        return [weight.numpy() for weight in self.weights]

    def set_weights(self, weights: list[Any]) -> None:
        """Assign values to all its weights.

        Raises:
            ValueError: there is another number of values, or a value has another shape.
            AttributeError: a value is a list or a number.
        """
        mine = self.weights
        if len(mine) != len(weights):
            raise ValueError(
                f"You called `set_weights(weights)` on layer {self.name!r} with a weight list of length "
                f"{len(weights)}, but the layer was expecting {len(mine)} weights."
            )
        for weight, value in zip(mine, weights, strict=True):
            shape = tuple(value.shape)
            if shape != tuple(weight.shape):
                mine_is = f"weight shape {tuple(weight.shape)}"
                raise ValueError(f"Layer {self.name} {mine_is} is not compatible with provided weight shape {shape}.")
            weight.assign(value)

    def add_metric(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Not available: Keras 3 has removed it.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(
            "add_metric is no more in Keras 3: give model.compile(metrics=[...]), or call update_state of a metric."
        )

    def add_loss(self, loss: Any) -> None:
        """Add a term to `losses` during a call. In a call on placeholders it is ignored.

        Raises:
            ValueError: the term is not a tensor.
        """
        terms = nest.flatten(loss)
        for term in terms:
            if not is_tensor(term):
                raise ValueError(
                    "`add_loss()` can only be called from inside `build()` or `call()`, on a tensor input. "
                    f"Received invalid value: {term}"
                )
        if not placing.get():
            self._losses.extend(terms)

    @property
    def losses(self) -> list[Any]:
        """The terms that the last call added, also in its sublayers, and the penalties on trainable weights."""
        told = [(each, getattr(each, "regularizer", None)) for each in self.trainable_weights]
        return [*self._added_losses_(), *[penalty(each) for each, penalty in told if penalty is not None]]

    def _forget_losses_(self) -> None:
        self._losses.clear()
        for layer in self._sublayers_:
            layer._forget_losses_()

    def _added_losses_(self) -> list[Any]:
        below = (loss for layer in each_once(self._sublayers_) for loss in layer._added_losses_())
        return [*self._losses, *below]

    def _open_(self) -> naming.LayerScope:
        if self.path is None:
            self.path = naming.below(self.name)
        return naming.LayerScope(self.path, self.name)


def each_once(objects: list[Any]) -> list[Any]:
    """The objects in their order, without repetitions."""
    return list({id(each): each for each in objects}.values())


def _placed(args: tuple[Any, ...], *named: Any) -> tuple[Any, ...]:
    """The shape, initializer and dtype of a new weight, from positional and keyword arguments.

    Raises:
        TypeError: there are more of them.
        ValueError: one comes in both ways, or it is a name that comes first.
    """
    if len(args) > len(named):
        raise TypeError(f"add_weight() takes at most {len(named)} positional arguments but {len(args)} were given.")
    if args and isinstance(args[0], str):
        raise ValueError(
            f"`name` must be passed as a keyword argument. Received: add_weight('{args[0]}', ...). "
            f"Use: add_weight(shape=..., name='{args[0]}')."
        )
    for argument, _, also in zip(("shape", "initializer", "dtype"), args, named, strict=False):
        if also is not None:
            raise ValueError(f"`{argument}` was passed both positionally and as a keyword argument.")
    return (*args, *named[len(args) :])
