"""A call on tensors -> outputs; what every layer does around its own `build` and `call`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, Self

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.engine.graph_mode.building import as_written
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import constant
from tapeviz.tf.keras import constraints, initializers, naming, regularizers
from tapeviz.tf.keras.call_signature import parameters, require_fitting
from tapeviz.tf.keras.layers.base.auto_config import MadeWith
from tapeviz.tf.keras.layers.base.call_errors import tell
from tapeviz.tf.keras.layers.base.input_specs import check, shapes_built_for
from tapeviz.tf.keras.layers.base.output_specs import builds_by_trial
from tapeviz.tf.keras.layers.base.passing import WAYS, ways_of
from tapeviz.tf.keras.layers.base.symbolic_calls import Placed
from tapeviz.tf.keras.masks import mask_of, masks_of, pass_on_masks, with_mask, with_masks_as_arguments
from tapeviz.tf.keras.scopes import scope
from tapeviz.tf.keras.serialization import ABSENT, plain
from tapeviz.tf.keras.symbolic import KerasTensor, is_symbolic, shape_of
from tapeviz.tf.keras.training_phase import passed_on

_NOTHING_TO_BUILD = (
    "`build()` was called on layer '{}', however the layer does not have a `build()` method implemented and it looks "
    "like it has unbuilt state. This will cause the layer to be marked as built, despite not being actually built, "
    "which may cause failures down the line. Make sure to implement a proper `build()` method."
)


class Layer(Placed):
    """A function with weights (`tf.keras.layers.Layer`).

    Subclasses define `call(inputs)`, and `build(input_shape)` for weights.

    Args:
        trainable: whether its weights are trained.
        dtype: the dtype of its weights. Inputs that are floats are cast to it.
        activity_regularizer: a name or a regularizer, whose penalty on the outputs, divided by the number of examples,
            is among the `losses`.
        name: its name; by default, the name of the class in snake case.

    Raises:
        ValueError: an unknown argument.

    >>> import tapeviz as tf
    >>> class Scale(tf.keras.layers.Layer):
    ...     def build(self, input_shape):
    ...         self.factor = self.add_weight(shape=(), initializer="ones", name="factor")
    ...
    ...     def call(self, inputs):
    ...         return self.factor * inputs
    >>> Scale()(tf.constant([1.0, 2.0]))
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>
    """

    _made_with_: MadeWith | None = None
    """The arguments of its constructor, for a class of the user's."""
    _settles_ = True
    """Whether no variables or layers may be added to it once it is built."""
    _seen_shape_: Any = None
    """The shape of its first output."""
    supports_masking = False
    """Whether its outputs get the masks of `compute_mask`; True for a class that defines that."""
    input_spec: Any = None
    """What it asks of its inputs: an `InputSpec`, or one for each."""

    def __init__(
        self,
        *,
        activity_regularizer: Any = None,
        trainable: bool = True,
        dtype: Any = None,
        autocast: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        length = kwargs.pop("input_dim", None)
        shape = kwargs.pop("input_shape", None if length is None else (length,))
        super().__init__(name, dtype, trainable)
        ways = ways_of(self._settings_, kwargs)
        kwargs = {name: value for name, value in kwargs.items() if name not in ABSENT or value}
        if kwargs:
            raise ValueError(f"Unrecognized keyword arguments passed to {type(self).__name__}: {kwargs}")
        self._input_shape_given_ = None if shape is None else tuple(shape)
        self.autocast = autocast
        self.activity_regularizer = regularizers.get(activity_regularizer)
        for weight, made in ways.items():
            self._tell_(weight, *made)

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        new = super().__new__(cls)
        if cls is Layer or (cls._settings_ is Layer._settings_ and not cls.__module__.startswith("tapeviz.")):
            new.__dict__["_made_with_"] = MadeWith(cls, args, kwargs)
        return new

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "compute_output_shape" in cls.__dict__ or cls.__module__.startswith("tapeviz."):
            cls._computes_shape_ = cls.__dict__.get("_computes_shape_", True)
        if "compute_mask" in cls.__dict__:
            cls._makes_masks_ = True
            cls.supports_masking = cls.__dict__.get("supports_masking", True)
        if "build" in cls.__dict__:
            cls.build = _building(cls.__dict__["build"])  # type: ignore[method-assign]
            cls.built = cls.__dict__.get("built", False)

    def _tell_(self, weight: str, initializer: Any, regularizer: Any = None, constraint: Any = None) -> None:
        """Set how a weight is made: the attributes `kernel_initializer` and so on, which `_add_` reads."""
        setattr(self, f"{weight}_initializer", initializers.get(initializer))
        setattr(self, f"{weight}_regularizer", regularizers.get(regularizer))
        setattr(self, f"{weight}_constraint", constraints.get(constraint))

    def _add_(self, weight: str, shape: tuple[int | None, ...], told: str | None = None, **others: Any) -> Any:
        """A new weight, made as `_tell_` said for its name, or for `told`, except for `others`."""
        ways = {way: getattr(self, f"{told or weight}_{way}") for way in WAYS}
        return self.add_weight(shape, name=weight, **ways | others)

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor as plain values. A subclass adds its own.

        Raises:
            NotImplementedError: the subclass does not, and its arguments are not plain values.
        """
        config = super().get_config()
        if self.activity_regularizer is not None and "activity_regularizer" not in config:
            first = {name: config[name] for name in ("name", "trainable", "dtype")}
            config = first | {"activity_regularizer": plain(self.activity_regularizer)} | config
        if type(self).get_config is not Layer.get_config or self._made_with_ is None:
            return config
        return self._made_with_.joined_to(config)

    # ----- to be overridden -----

    def build(self, input_shape: Any) -> None:
        """Make the weights for inputs of a shape. By default there are none."""
        if type(self).build is Layer.build:
            if self._waits_():
                warnings.warn(_NOTHING_TO_BUILD.format(self.name), stacklevel=2)
            self._held_.closed = self._settles_
        self.built = True
        self._built_with_(input_shape=input_shape)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """The outputs for some inputs.

        Raises:
            NotImplementedError: the subclass does not define it.
        """
        raise NotImplementedError(f"Layer {type(self).__name__} has no `call` method: def call(self, inputs).")

    def compute_mask(self, inputs: Any, previous_mask: Any) -> Any:
        """The mask of the outputs, or None. By default it is the mask of the inputs."""
        return previous_mask

    def count_params(self) -> int:
        """The number of elements of its weights.

        Raises:
            ValueError: it is not built yet.
        """
        if not self.built:
            raise ValueError(
                f"You tried to call `count_params` on layer {self.name!r}, but the layer isn't built. You can build it "
                "manually via: `layer.build(input_shape)`."
            )
        return super().count_params()

    @property
    def _kind_(self) -> str:
        """The name of its class."""
        return type(self).__name__

    # ----- calling it -----

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._require_start_()
        if not args and (first := parameters(type(self).call)[0]) in kwargs:
            args = (kwargs.pop(first),)
        args, kwargs = nest.map_structure(self._entering_, (args, kwargs))
        for each in nest.flatten(args):
            if not (each is None or isinstance(each, (TensorLike, KerasTensor))):
                raise ValueError(
                    "Only input tensors may be passed as positional arguments. The following argument value should be "
                    f"passed as a keyword argument: {each} (of type {type(each)})"
                )
        if args:
            self._check_(args[0])
        outermost = naming.is_outermost()
        with self._open_():
            if fresh := not self.built and bool(args):
                self._build_for_(args, kwargs)
            if outermost:
                self._forget_losses_()
            with passed_on(type(self).call, args, kwargs):
                outputs = self._symbolic_(args, kwargs) if is_symbolic((args, kwargs)) else self._run_(args, kwargs)
        self.built = True
        if fresh:
            self._held_.closed = self._settles_
        if self._seen_shape_ is None:
            self._seen_shape_ = shape_of(outputs)
        return outputs

    def _build_for_(self, args: Any, kwargs: Any) -> None:
        """Build it before its first call. If the class has no `build`, a dry run of `call` builds the sublayers.

        If that fails, the call itself builds them.

        Raises:
            TypeError: arguments that `call` does not take, or an empty list, which has no shape.
        """
        require_fitting(type(self).call, args, kwargs)
        if isinstance(args[0], (list, tuple)) and not args[0]:
            raise TypeError(f"'NoneType' object is not subscriptable: {self.name!r} is called on an empty list.")
        if type(self).build is Layer.build and self._waits_() and not builds_by_trial(self._run_, args, kwargs):
            return
        self.build(**shapes_built_for(self, args, kwargs))

    def _waits_(self) -> bool:
        """Whether a sublayer is not built yet."""
        return not all(each.built for each in self._sublayers_ if isinstance(each, Layer))

    def _run_(self, args: Any, kwargs: Any) -> Any:
        """The outputs of `call`; the text of an error gets the name of the innermost layer."""
        with scope(self.name, type(self).__name__), as_written():
            kwargs = with_masks_as_arguments(type(self).call, args, kwargs)
            mask = kwargs.get("mask")
            if mask is None and args:
                mask = masks_of(args[0])
            try:
                outputs = self.call(*args, **kwargs)
            except Exception as error:
                tell(error, self, args)
                raise
            if mask is not None or self._makes_masks_:
                pass_on_masks(self, args[0] if args else None, mask, outputs)
        if self.activity_regularizer is not None:
            self.add_loss([self._penalty_(each) for each in nest.flatten(outputs)])
        return outputs

    def _penalty_(self, output: Any) -> Any:
        """The penalty of the activity regularizer for an output, divided by the length of the batch."""
        penalty = self.activity_regularizer(output)
        return EXPORTS["math.divide_no_nan"](penalty, float(output.shape[0])) if output.ndim else penalty

    def _entering_(self, value: Any) -> Any:
        """An argument as a tensor: arrays are converted, floats cast to the layer's dtype."""
        if isinstance(value, (np.ndarray, np.generic)):
            value = constant(value)
        if not (isinstance(value, TensorLike) and self.autocast and value.dtype.is_floating):
            return value
        if value._value.dtype.name != self._dtype_.name:
            return with_mask(EXPORTS["cast"](value, self._dtype_), mask_of(value))
        return value

    def _check_(self, inputs: Any) -> None:
        check(self.name, self.input_spec, inputs)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}, built={self.built}>"


class Unchanged(Layer):
    """A layer whose output has the shape of its input, and its mask."""

    supports_masking = True

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape


def _building(build: Callable[..., None]) -> Callable[..., None]:
    """The `build` of a class, in the scope of the layer's path, after which the layer counts as built."""

    @wraps(build)
    def building(self: Layer, *args: Any, **kwargs: Any) -> None:
        with self._open_():
            build(self, *args, **kwargs)
        self.built = True
        self._built_with_(**dict(zip(parameters(build), args, strict=False)), **kwargs)
        if type(self).build is building:  # not where a subclass's build goes on after this one
            self._held_.closed = self._settles_

    return building
