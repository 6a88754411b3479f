"""A shape and a dtype -> the first values of a weight."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np

from tapeviz.engine.api import missing
from tapeviz.engine.api.integers import shape_of
from tapeviz.engine.api.sampling import dims
from tapeviz.engine.constant import make
from tapeviz.engine.convert import array_of, unboxed
from tapeviz.engine.dtypes import DType, as_dtype
from tapeviz.engine.kernels.philox import Philox
from tapeviz.engine.sentences import unbroadcastable
from tapeviz.engine.tensor import Tensor, TensorLike
from tapeviz.errors import InvalidArgumentError
from tapeviz.keras import seeds
from tapeviz.keras.floats import floatx
from tapeviz.keras.serialization import Configured, Registry, by_names, serialized

Shape = tuple[int, ...]
Axes = Sequence[int]


class Initializer(Configured):
    """What fills a new weight: call it with a shape, and a dtype (float32 unless told), for a tensor.

    >>> class Countdown(Initializer):
    ...     def __call__(self, shape, dtype=None):
    ...         return np.arange(np.prod(shape), 0, -1, dtype).reshape(shape)
    >>> Countdown()([3], "float32").tolist()
    [3.0, 2.0, 1.0]
    """

    _module_ = "keras.initializers"

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        return make(self._fill_(self._shape_(shape), as_dtype(dtype or floatx())))

    def _shape_(self, given: Any) -> Shape:
        """The lengths of what is to be filled; a number is one."""
        return shape_of(given)

    def _fill_(self, shape: Shape, dtype: DType) -> Any:
        """The values as an array."""
        return unboxed(np.asarray(self._draw_(shape, dtype)).astype(dtype.as_numpy_dtype))

    def _draw_(self, shape: Shape, dtype: DType) -> Any:
        """The values, which are cast if they come in another dtype."""
        raise NotImplementedError(
            f"Initializer subclasses must implement the `__call__()` method, {type(self).__name__} does not."
        )


class Constant(Initializer):
    """One value everywhere.

    >>> Constant(3.0)([2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([3., 3.], dtype=float32)>
    """

    _settings_: ClassVar[tuple[str, ...]] = ("value",)

    def __init__(self, value: Any = 0.0) -> None:
        self.value = value

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A new one, made with these arguments.

        Raises:
            KeyError: there is no value, as where a layer is given the name alone.
        """
        if not dict(**config).keys() >= set(cls._settings_):
            raise KeyError("value. In Constant: by its name alone it has none. Use initializers.Constant(value).")
        return super().from_config(config)

    def _draw_(self, shape: Shape, dtype: DType) -> Any:
        value = array_of(self.value)
        try:
            return np.broadcast_to(value, shape)
        except ValueError:
            said = unbroadcastable(value.shape, shape)
            raise InvalidArgumentError(f"{said}. In Constant the value does not fill the shape.") from None


class Zeros(Constant):
    """Zeros.

    >>> Zeros()([2]).numpy().tolist()
    [0.0, 0.0]
    """

    _settings_ = ()

    def __init__(self) -> None:
        super().__init__(0.0)


class Ones(Constant):
    """Ones.

    >>> Ones()([2]).numpy().tolist()
    [1.0, 1.0]
    """

    _settings_ = ()

    def __init__(self) -> None:
        super().__init__(1.0)


class _Random(Initializer):
    """Random values, Keras' own for its seed, the same ones at each call.

    Raises:
        ValueError: a seed that is no integer.
    """

    def __init__(self, seed: int | None = None) -> None:
        if seed is not None and not isinstance(seed, int):
            raise ValueError(
                "`seed` argument should be an instance of `keras.random.SeedGenerator()` or an integer. "
                f"Received: seed={seed!r}. Here it should be an integer."
            )
        self.seed, self._drawn_by_ = seed, seeds.chosen(seed)

    def _shape_(self, given: Any) -> Shape:
        return dims(given)

    def _noise_(self, kind: Callable[..., Any], shape: Shape, dtype: DType) -> Any:
        """Numbers of a kind that a stream has."""
        source = Philox.of_pair(seeds.pair_of(self._drawn_by_))
        return kind(source, shape, (dtype if dtype.is_floating else as_dtype("float32")).as_numpy_dtype)


class RandomUniform(_Random):
    """Uniform values from `minval` to `maxval`.

    >>> bool(np.abs(RandomUniform()([100])).max() < 0.05)
    True
    """

    _settings_ = ("seed", "minval", "maxval")

    def __init__(self, minval: float = -0.05, maxval: float = 0.05, seed: int | None = None) -> None:
        super().__init__(seed)
        self.minval, self.maxval = minval, maxval

    def _draw_(self, shape: Shape, dtype: DType) -> Any:
        noise = self._noise_(Philox.random, shape, dtype)
        low, high = (noise.dtype.type(each) for each in (self.minval, self.maxval))
        return noise * (high - low) + low


class RandomNormal(_Random):
    """Normally distributed values.

    >>> RandomNormal()([2, 3]).shape
    TensorShape([2, 3])
    """

    _settings_ = ("seed", "mean", "stddev")
    _kind_ = staticmethod(Philox.standard_normal)

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        super().__init__(seed)
        self.mean, self.stddev = mean, stddev

    def _draw_(self, shape: Shape, dtype: DType) -> Any:
        noise = self._noise_(self._kind_, shape, dtype)
        return noise * noise.dtype.type(self.stddev) + noise.dtype.type(self.mean)


class TruncatedNormal(RandomNormal):
    """Normally distributed values; those further than two deviations from the mean are drawn again.

    >>> bool(np.abs(TruncatedNormal(stddev=1.0)([100])).max() < 2)
    True
    """

    _kind_ = staticmethod(Philox.truncated_normal)


_MODES = ("fan_in", "fan_out", "fan_avg")
_DISTRIBUTIONS = ("uniform", "truncated_normal", "untruncated_normal")


class VarianceScaling(_Random):
    """Values whose variance is `scale` over the number of inputs, of outputs, or their mean.

    Args:
        mode: "fan_in", "fan_out" or "fan_avg".
        distribution: "uniform", "truncated_normal" or "untruncated_normal".
        input_axes: the axes of the inputs, and `output_axes` those of the outputs; the last two unless told both.

    Raises:
        ValueError: a scale that is not above 0, an unknown mode or distribution.

    >>> VarianceScaling(2.0, mode="fan_out")([2, 3]).shape
    TensorShape([2, 3])
    """

    _settings_ = ("seed", "scale", "mode", "distribution", "input_axes", "output_axes")

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        input_axes: Axes | None = None,
        output_axes: Axes | None = None,
    ) -> None:
        if scale <= 0:
            raise ValueError(f"Argument `scale` must be positive float. Received: scale={scale}")
        if mode not in _MODES:
            raise ValueError(f"Invalid `mode` argument: {mode}. Please use one of {', '.join(_MODES)}.")
        distribution = "truncated_normal" if distribution == "normal" else distribution
        if distribution not in _DISTRIBUTIONS:
            raise ValueError(
                f"Invalid `distribution` argument: {distribution}.Please use one of {', '.join(_DISTRIBUTIONS)}."
            )
        super().__init__(seed)
        self.scale, self.mode, self.distribution = scale, mode, distribution
        self.input_axes, self.output_axes = input_axes, output_axes

    def _along_(self, input_axes: Axes, output_axes: Axes) -> VarianceScaling:
        """The same, of the same numbers, for a weight whose inputs and outputs lie along these axes; told ones stay."""
        if self.input_axes is not None and self.output_axes is not None:
            return self
        like = copy(self)
        like.input_axes, like.output_axes = input_axes, output_axes
        return like

    def _draw_(self, shape: Shape, dtype: DType) -> Any:
        if self.input_axes is None or self.output_axes is None:
            inputs, outputs = fans(shape)
        else:
            inputs, outputs = (math.prod(shape[axis] for axis in each) for each in (self.input_axes, self.output_axes))
        count = {"fan_in": inputs, "fan_out": outputs, "fan_avg": (inputs + outputs) / 2}[self.mode]
        variance = self.scale / max(1.0, count)
        if self.distribution == "uniform":
            limit = math.sqrt(3 * variance)
            return RandomUniform(-limit, limit, self._drawn_by_)._draw_(shape, dtype)
        if self.distribution == "untruncated_normal":
            return RandomNormal(0.0, math.sqrt(variance), self._drawn_by_)._draw_(shape, dtype)
        return TruncatedNormal(0.0, math.sqrt(variance) / 0.87962566103423978, self._drawn_by_)._draw_(shape, dtype)


class Orthogonal(_Random):
    """A matrix whose columns, or whose rows if there are fewer, are of length 1 and at right angles, times `gain`.

    Raises:
        ValueError: when called, fewer than two axes; of more, all but the last count as one.

    >>> columns = Orthogonal()([3, 2]).numpy()
    >>> bool(np.allclose(columns.T @ columns, np.eye(2), atol=1e-6))
    True
    """

    _settings_ = ("seed", "gain")

    def __init__(self, gain: float = 1.0, seed: int | None = None) -> None:
        super().__init__(seed)
        self.gain = gain

    def _draw_(self, shape: Shape, dtype: DType) -> Any:
        if len(shape) < 2:
            raise ValueError(
                "The tensor to initialize must be at least two-dimensional. "
                f"Received: shape={shape} of rank {len(shape)}."
            )
        rows, columns = math.prod(shape[:-1]), shape[-1]
        noise = self._noise_(Philox.standard_normal, (max(rows, columns), min(rows, columns)), dtype)
        factor, triangle = np.linalg.qr(noise.astype(np.promote_types(noise.dtype, np.float32)))
        factor = factor * np.sign(np.diag(triangle))  # or some directions would be likelier than others
        return self.gain * (factor if rows >= columns else factor.T).reshape(shape)


class Identity(Initializer):
    """Ones on the diagonal of a matrix, times `gain`.

    Raises:
        ValueError: when called, another number of axes than two.

    >>> Identity()([2, 3]).numpy().tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """

    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    def _draw_(self, shape: Shape, dtype: DType) -> Any:
        if len(shape) != 2:
            raise ValueError(
                "Identity matrix initializer can only be used for 2D matrices. "
                f"Received: shape={shape} of rank {len(shape)}."
            )
        return self.gain * np.eye(*shape)


def fans(shape: Shape) -> tuple[int, int]:
    """The numbers of inputs and outputs of one unit of a weight, the last two axes; the others are a window.

    >>> fans((3, 3, 4, 8)), fans((5,))
    ((36, 72), (5, 5))
    """
    if len(shape) < 2:
        size = shape[0] if shape else 1
        return size, size
    window = math.prod(shape[:-2])
    return shape[-2] * window, shape[-1] * window


_SCALINGS = (
    ("GlorotUniform", 1.0, "fan_avg", "uniform"),
    ("GlorotNormal", 1.0, "fan_avg", "truncated_normal"),
    ("HeUniform", 2.0, "fan_in", "uniform"),
    ("HeNormal", 2.0, "fan_in", "truncated_normal"),
    ("LecunUniform", 1.0, "fan_in", "uniform"),
    ("LecunNormal", 1.0, "fan_in", "truncated_normal"),
)


def _scaling(name: str, scale: float, mode: str, distribution: str) -> type[VarianceScaling]:
    def start(
        self: Any, seed: int | None = None, input_axes: Axes | None = None, output_axes: Axes | None = None
    ) -> None:
        VarianceScaling.__init__(self, scale, mode, distribution, seed, input_axes, output_axes)

    about = f"`VarianceScaling` with scale {scale:g}, {mode}, {distribution}.\n\n    >>> {name}()([2, 3]).shape\n"
    about += "    TensorShape([2, 3])\n    "
    body = {"_settings_": ("seed", "input_axes", "output_axes"), "__module__": __name__}
    return type(name, (VarianceScaling,), {**body, "__init__": start, "__doc__": about})


_CLASSES: tuple[type[Initializer], ...] = (
    Constant, Zeros, Ones, RandomUniform, RandomNormal, TruncatedNormal, VarianceScaling,
    Orthogonal, Identity, *(_scaling(*row) for row in _SCALINGS),
)  # fmt: skip
_NAMES = by_names(_CLASSES) | {"OrthogonalInitializer": Orthogonal, "IdentityInitializer": Identity}
globals().update(_NAMES)
_SHORT = {"uniform": RandomUniform, "normal": RandomNormal, "zero": Zeros, "one": Ones}
_known = Registry("initializer", _NAMES | _SHORT | by_names([Initializer]))


def get(identifier: Any) -> Any:
    """An initializer by its name, its class, its config or itself; None stays None, an array fills a weight like it.

    Raises:
        ValueError: there is none of that name.

    >>> get("zeros")([1])
    <tf.Tensor: shape=(1,), dtype=float32, numpy=array([0.], dtype=float32)>
    """
    given = isinstance(identifier, (TensorLike, np.generic, np.ndarray))
    return _copying(identifier) if given else _known.get(identifier)


def _copying(values: Any) -> Callable[..., Tensor]:
    def initialize_fn(shape: Any, dtype: Any = None) -> Tensor:
        if (wanted := shape_of(shape)) != (mine := tuple(values.shape)):
            raise ValueError(f"Expected `shape` to be {mine} for direct tensor as initializer. Received shape={wanted}")
        return Constant(values)(wanted, dtype)

    return initialize_fn


def serialize(initializer: Any) -> Any:
    """How an initializer was made, as plain values.

    >>> serialize(Zeros())["class_name"]
    'Zeros'
    """
    return serialized(initializer)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """What `serialize` told of, one's own by `custom_objects`; a name that is not known stays, as in Keras.

    Raises:
        ValueError: a config that tells no name.
        TypeError: a class of one's own, or one that cannot be made of its config.

    >>> type(deserialize(serialize(Zeros()))).__name__
    'Zeros'
    """
    return _known.deserialize(config, custom_objects)


__all__ = [*sorted(_NAMES), "Initializer", "deserialize", "get", "serialize"]
__getattr__ = missing("tapeviz.keras.initializers")
