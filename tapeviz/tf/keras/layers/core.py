"""Where inputs come in, layers made of a function, and the one that gives its input."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.tf.keras.dtype_policy import standard_dtype
from tapeviz.tf.keras.layers.base.layer import Layer, Unchanged
from tapeviz.tf.keras.layers.base.output_specs import output_specs
from tapeviz.tf.keras.symbolic import KerasTensor, LayerCall


class InputLayer(Layer):
    """The layer of an input of a model, which `Input` makes.

    >>> InputLayer((3,)).batch_shape
    (None, 3)
    """

    _settings_ = ("batch_shape", "dtype", "sparse", "ragged", "name", "optional")
    built = True
    sparse = ragged = optional = False

    def __init__(
        self,
        shape: Any = None,
        batch_size: int | None = None,
        dtype: Any = None,
        sparse: None = None,
        ragged: None = None,
        batch_shape: Any = None,
        input_tensor: None = None,
        optional: bool = False,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, dtype=None if dtype is None else standard_dtype(dtype))
        if "input_shape" in kwargs:
            warnings.warn("Argument `input_shape` is deprecated. Use `shape` instead.", stacklevel=2)
        shape = kwargs.get("input_shape", shape)  # the names of earlier versions; Keras heeds no others either
        batch_shape = kwargs.get("batch_input_shape", batch_shape)
        _refuse(sparse=sparse, ragged=ragged, optional=optional, tensor=input_tensor is not None)
        if shape is not None and batch_shape is not None:
            raise ValueError("You cannot pass both `shape` and `batch_shape` at the same time.")
        if batch_size is not None and batch_shape is not None:
            raise ValueError("You cannot pass both `batch_size` and `batch_shape` at the same time.")
        if shape is None and batch_shape is None:
            raise ValueError("You must pass a `shape` argument. An input needs a tuple of lengths.")
        self.batch_shape = _lengths(batch_shape if shape is None else (batch_size, *_lengths(shape)))
        self._placed_ = call = LayerCall(self, (), {})
        call.outputs = KerasTensor(self.batch_shape, self.dtype, call, name)
        self._seen_shape_ = self.batch_shape

    def call(self, inputs: Any = None) -> Any:
        return inputs


def Input(
    shape: Any = None,
    batch_size: int | None = None,
    dtype: Any = None,
    sparse: None = None,
    ragged: None = None,
    batch_shape: Any = None,
    name: str | None = None,
    tensor: None = None,
    optional: bool = False,
) -> KerasTensor:
    """A placeholder, on which layers can be called for `Model(inputs, outputs)` (`tf.keras.Input`).

    Args:
        shape: the shape of an example, without the batch. None stands for any length.
        batch_size: the number of examples; any by default.
        dtype: the dtype, float32 by default.
        sparse: not available, as are `ragged`, `optional` and `tensor`.
        batch_shape: the shape with the batch, instead of `shape` and `batch_size`.
        name: the name of the layer.

    Raises:
        ValueError: not exactly one shape is given, it is not a tuple, or an argument is not available.

    >>> import tapeviz as tf
    >>> image = tf.keras.Input((4,))
    >>> model = tf.keras.Model(image, tf.keras.layers.Dense(2)(image))
    >>> model(tf.zeros([3, 4])).shape
    TensorShape([3, 2])
    """
    place: KerasTensor = InputLayer(
        shape, batch_size, dtype, sparse, ragged, batch_shape, tensor, optional, name
    ).output
    return place


def _refuse(**given: Any) -> None:
    """Refuse kinds of inputs that there are not."""
    if refused := [f"`{name}`" for name, each in given.items() if each]:
        raise ValueError(
            f"In Input: there is no {' and no '.join(refused)} here, an input is dense, is not optional and stands for "
            "no tensor. Leave it out."
        )


def _lengths(shape: Any) -> tuple[int | None, ...]:
    """A shape as a tuple of numbers, or None where any length will do.

    Raises:
        ValueError: it is no such shape.
    """
    wrong = f"Cannot convert '{shape}' to a shape. "
    if not hasattr(shape, "__iter__"):
        raise ValueError(f"{wrong}An input needs a tuple of lengths.")
    if isinstance(shape, TensorShape):
        shape = shape.as_list()
    for each in shape:
        if not (each is None or hasattr(each, "__int__")) or isinstance(each, float):
            raise ValueError(f"{wrong}Found invalid dimension '{each}' of type '{type(each)}'.")
        if each is not None and each < 0:
            raise ValueError(f"{wrong}Negative dimensions are not allowed.")
    return tuple(None if each is None else int(each) for each in shape)


class Lambda(Layer):
    """A function of tensors as a layer (`tf.keras.layers.Lambda`).

    Args:
        function: the function. It is called with the input, and with `training` and `mask` if it has such parameters.
        output_shape: the shape of the output of one example, or a function from the shape of the input to that of the
            output, both with the batch; by default it is found by a dry run.
        mask: the mask of the output, or a function of the input and its mask that returns it; none by default.
        arguments: further arguments of the function by name.
        kwargs: the arguments of every layer.

    Raises:
        NotImplementedError: when called on a placeholder, if the dry run fails.
        TypeError: `function` is not a function; or, when called on a placeholder, `output_shape` is neither a tuple
            nor a function.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Lambda(lambda x, by: by * x, arguments={"by": 3.0})(tf.constant([1.0])).numpy().tolist()
    [3.0]
    """

    def __init__(
        self, function: Any, output_shape: Any = None, mask: Any = None, arguments: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        if not callable(function):
            raise TypeError(f"unsupported callable. A Lambda layer takes a function, and got {function!r}.")
        self.function, self.mask, self.arguments = function, mask, arguments or {}
        self._told_shape = output_shape
        self.supports_masking = mask is not None
        self._takes = inspect.signature(function).parameters

    def call(self, inputs: Any, mask: Any = None, training: Any = None) -> Any:
        told = {name: value for name, value in (("mask", mask), ("training", training)) if name in self._takes}
        return self.function(inputs, **self.arguments, **told)

    def _specs_of_(self, args: Any, kwargs: Any) -> Any:
        if self._told_shape is not None:
            return super()._specs_of_(args, kwargs)
        try:
            return output_specs(self._run_, args, kwargs)
        except Exception as error:
            raise NotImplementedError(
                "We could not automatically infer the shape of the Lambda's output. Please specify the `output_shape` "
                f"argument for this Lambda layer. Trying it said: {error}"
            ) from error

    def compute_output_shape(self, input_shape: Any) -> Any:
        told = self._told_shape
        if told is None:
            return super().compute_output_shape(input_shape)
        if callable(told):
            return told(input_shape)
        if not isinstance(told, tuple | TensorShape):
            raise TypeError(
                f"{self.name}: output_shape is a tuple, the shape of one example, or a function. Received: {told}"
            )
        return (nest.flatten(input_shape)[0], *told)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return self.mask(inputs, mask) if callable(self.mask) else self.mask


class Identity(Unchanged):
    """Returns its input (`tf.keras.layers.Identity`).

    >>> import tapeviz as tf
    >>> tf.keras.layers.Identity()(tf.constant([1])).numpy().tolist()
    [1]
    """

    built = True

    def call(self, inputs: Any) -> Any:
        return inputs
