"""What a layer requires of its inputs (`tf.keras.layers.InputSpec`), and inputs -> an error if they are different."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.tf.keras.call_signature import parameters
from tapeviz.tf.keras.symbolic import shape_of


class InputSpec:
    """The requirements of a layer for an input, in its attribute `input_spec` (`tf.keras.layers.InputSpec`).

    Args:
        dtype: the name of the dtype.
        shape: the shape, in which None stands for any length.
        ndim: the number of axes.
        max_ndim: the largest number of axes.
        min_ndim: the smallest number of axes.
        axes: the lengths of some axes, by axis.
        allow_last_axis_squeeze: whether the input may have a last axis of length 1 more or less than `shape`.
        name: the name of the input.
        optional: whether the input may be None.

    Raises:
        TypeError: `axes` does not map integers to integers.
        ValueError: an axis is out of range, or `shape` is not a shape.

    >>> InputSpec(ndim=2, axes={-1: 4})
    InputSpec(ndim=2, axes={-1: 4})
    """

    def __init__(
        self,
        dtype: Any = None,
        shape: Any = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: Mapping[Any, int | None] | None = None,
        allow_last_axis_squeeze: bool = False,
        name: str | None = None,
        optional: bool = False,
    ) -> None:
        if shape is not None and not hasattr(shape, "__iter__"):
            raise ValueError(f"Cannot convert '{shape}' to a shape. A shape is a tuple.")
        self.dtype = dtype
        self.shape = None if shape is None else tuple(TensorShape(shape).as_list())
        self.ndim = ndim if self.shape is None else len(self.shape)
        self.max_ndim, self.min_ndim = max_ndim, min_ndim
        self.name, self.optional, self.allow_last_axis_squeeze = name, optional, allow_last_axis_squeeze
        try:
            self.axes = {int(axis): length for axis, length in dict(axes or {}).items()}
        except (TypeError, ValueError):
            raise TypeError(f"Argument `axes` must be a dict with integer keys. Received: axes={axes}") from None
        most = self.ndim or self.max_ndim
        if self.axes and most and max(self.axes) > most - 1:
            raise ValueError(f"Axis {max(self.axes)} is greater than the maximum allowed value: {most - 1}")

    def __repr__(self) -> str:
        named = ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")
        said = (f"{name}={getattr(self, name)}" for name in named if getattr(self, name))
        return f"InputSpec({', '.join(said)})"

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor by name."""
        return {name: getattr(self, name) for name in _CONFIG}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> InputSpec:
        """A new spec from a config."""
        return cls(**config)

    def misfit(self, each: Any) -> str | None:
        """The message about an input that does not meet the requirements, or None if it does."""
        shape = shape_of(each)
        found = f"found ndim={len(shape)}"
        if self.ndim is not None and len(shape) != self.ndim and not self.allow_last_axis_squeeze:
            return f"expected ndim={self.ndim}, {found}. Full shape received: {shape}"
        if self.max_ndim is not None and len(shape) > self.max_ndim:
            return f"expected max_ndim={self.max_ndim}, {found}"
        if self.min_ndim is not None and len(shape) < self.min_ndim:
            return f"expected min_ndim={self.min_ndim}, {found}. Full shape received: {shape}"
        if self.dtype is not None and _name(each.dtype) != _name(self.dtype):
            return f"expected dtype={self.dtype}, found dtype={_name(each.dtype)}"
        for axis, length in self.axes.items():
            if length is not None and shape[axis] not in (length, None):
                return (
                    f"expected axis {axis} of input shape to have value {length}, but received input with shape {shape}"
                )
        if self.shape is not None and not self._fits(shape):
            return f"expected shape={self.shape}, found shape={shape}"
        return None

    def _fits(self, shape: tuple[int | None, ...]) -> bool:
        wanted = self.shape or ()
        if self.allow_last_axis_squeeze:  # of axes beyond those that are told nothing is asked
            shape, wanted = (each[:-1] if each and each[-1] == 1 else each for each in (shape, wanted))
        return all(None in pair or pair[0] == pair[1] for pair in zip(shape, wanted, strict=False))


_CONFIG = ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes", "optional")


def check(name: str, spec: Any, inputs: Any) -> None:
    """Check that the inputs of a layer meet its `input_spec`.

    Raises:
        ValueError: they do not.
    """
    if spec is None:
        return
    specs, given = nest.flatten(spec), nest.flatten(inputs)
    if len(specs) != len(given):
        raise ValueError(
            f'Layer "{name}" expects {len(specs)} input(s), but it received {len(given)} input tensors. '
            f"Inputs received: {given}"
        )
    for index, (each, wanted) in enumerate(zip(given, specs, strict=True)):
        if each is None:
            if wanted.optional:
                continue
            raise ValueError(
                f"Inputs to a layer should be tensors. Got '{each}' (of type {type(each)}) as input for layer {name!r}."
            )
        if misfit := wanted.misfit(each):
            raise ValueError(
                f"Input {index} with name '{wanted.name}' of layer {name!r} is incompatible with the layer: {misfit}"
            )


def _name(dtype: Any) -> str:
    return str(getattr(dtype, "name", dtype))


_SHAPES_OF_SEVERAL = (
    "For a `build()` method with more than one argument, all arguments should have a `_shape` suffix and match an "
    "argument from `call()`. E.g. `build(self, foo_shape, bar_shape)`  For layer '{}', received `build()` argument "
    "`{}`, "
)


def shapes_built_for(layer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The shapes for the `build` of a layer before a call, by parameter.

    A single one is the shape of the first argument of `call`. If there are several, `x_shape` is that of the argument
    `x`.

    Raises:
        ValueError: one of several does not have the name of an argument of `call`.
    """
    asked = parameters(type(layer).build)
    if asked == [""]:
        return {}
    if len(asked) == 1:
        return {asked[0]: shape_of(args[0])}
    taken = parameters(type(layer).call)
    values = {**dict(zip(taken, args, strict=False)), **kwargs}
    for name in asked:
        refusal = _SHAPES_OF_SEVERAL.format(type(layer).__name__, name)
        if not name.endswith("_shape"):
            raise ValueError(f"{refusal}which does not end in `_shape`.")
        if (wanted := name.removesuffix("_shape")) not in taken:
            raise ValueError(f"{refusal}but `call()` does not have argument `{wanted}`.")
    said = {name: values.get(name.removesuffix("_shape")) for name in asked}
    return {name: shape_of(value) for name, value in said.items() if value is not None}


def require_count(name: str, given: Any) -> None:
    """Check that an argument is a positive integer.

    Raises:
        TypeError: it is not an integer.
        ValueError: it is not positive.
    """
    if not isinstance(given, int) or isinstance(given, bool):
        raise TypeError(f"Expected an integer value for `{name}`, got {type(given)}.")
    if given <= 0:
        raise ValueError(f"Argument `{name}` should be a positive integer. Received: {name}={given}")
