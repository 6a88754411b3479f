"""A weight after a step -> the weight projected onto a constraint."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras.floats import EPSILON
from tapeviz.tf.keras.registry import Registry, by_names
from tapeviz.tf.keras.serialization import Configured, serialized, tells_arguments
from tapeviz.tf.names import missing


class Constraint(Configured):
    """The base class of constraints on weights (`tf.keras.constraints.Constraint`).

    After each step, an optimizer calls the constraint with the weight, and assigns the result to the weight.

    >>> import tapeviz as tf
    >>> class Rounded(Constraint):
    ...     def __call__(self, w):
    ...         return tf.round(w)
    >>> float(Rounded()(tf.constant(1.2)))
    1.0
    """

    _module_ = "keras.constraints"

    def __call__(self, w: Any) -> Any:
        return w


class NonNeg(Constraint):
    """Sets negative numbers to 0.

    >>> import tapeviz as tf
    >>> NonNeg()(tf.constant([-1.0, 2.0])).numpy().tolist()
    [0.0, 2.0]
    """

    def __call__(self, w: Any) -> Any:
        w = tensor_of(w)
        return tf["maximum"](w, tf["zeros"]([], w.dtype.name))


class _OfNorms(Constraint):
    """Each vector along `axis` keeps its direction and gets another norm."""

    axis: Any

    def __call__(self, w: Any) -> Any:
        w = tensor_of(w)
        norms = tf["sqrt"](tf["reduce_sum"](tf["square"](w), axis=self.axis, keepdims=True))
        return w * (self._wanted_(norms) / (EPSILON + norms))

    def _wanted_(self, norms: Any) -> Any:
        """The norms that vectors of these norms are to have."""
        raise NotImplementedError


@tells_arguments
class MaxNorm(_OfNorms):
    """Scales vectors whose norm is too large.

    Args:
        max_value: the largest norm.
        axis: the axis, or the axes, of the vectors.

    >>> import tapeviz as tf
    >>> [round(float(norm), 3) for norm in tf.norm(MaxNorm(5.0)(tf.constant([[6.0, 0.3], [8.0, 0.4]])), axis=0)]
    [5.0, 0.5]
    """

    def __init__(self, max_value: float = 2, axis: Any = 0) -> None:
        self.max_value, self.axis = max_value, axis

    def _wanted_(self, norms: Any) -> Any:
        return tf["clip_by_value"](norms, 0.0, float(self.max_value))


@tells_arguments
class UnitNorm(_OfNorms):
    """Scales vectors to the norm 1.

    Args:
        axis: the axis, or the axes, of the vectors.

    >>> import tapeviz as tf
    >>> [round(float(number), 3) for number in UnitNorm()(tf.constant([3.0, 4.0]))]
    [0.6, 0.8]
    """

    def __init__(self, axis: Any = 0) -> None:
        self.axis = axis

    def _wanted_(self, norms: Any) -> Any:
        return tf["ones"]([], norms.dtype.name)


@tells_arguments
class MinMaxNorm(_OfNorms):
    """Scales vectors towards a norm between two bounds.

    Args:
        min_value: the lower bound.
        max_value: the upper bound.
        rate: which fraction of the way a norm moves to the bounds at each step; 1 for all of it.
        axis: the axis, or the axes, of the vectors.

    >>> import tapeviz as tf
    >>> [round(float(number), 3) for number in MinMaxNorm(1.0, 2.0)(tf.constant([3.0, 4.0]))]
    [1.2, 1.6]
    """

    def __init__(self, min_value: float = 0.0, max_value: float = 1.0, rate: float = 1.0, axis: Any = 0) -> None:
        self.min_value, self.max_value, self.rate, self.axis = min_value, max_value, rate, axis

    def _wanted_(self, norms: Any) -> Any:
        near = tf["clip_by_value"](norms, float(self.min_value), float(self.max_value))
        return self.rate * near + (1 - self.rate) * norms


_known = Registry("constraint", by_names((Constraint, MaxNorm, MinMaxNorm, NonNeg, UnitNorm)))
max_norm, min_max_norm, non_neg, unit_norm = MaxNorm, MinMaxNorm, NonNeg, UnitNorm


def get(identifier: Any) -> Any:
    """A constraint.

    Args:
        identifier: its name, its class, its config, or the constraint itself, which may be a function. None stays None.

    Raises:
        ValueError: an unknown name.

    >>> get("max_norm").max_value
    2
    """
    return _known.get(identifier)


def serialize(constraint: Any) -> Any:
    """A description of a constraint as plain values, from which `deserialize` can make another one.

    >>> serialize(NonNeg())["class_name"]
    'NonNeg'
    """
    return serialized(constraint)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """A constraint from the description that `serialize` returns.

    Args:
        config: the description, or a name. As in Keras, an unknown name is returned unchanged.
        custom_objects: the user's classes by their names.

    Raises:
        ValueError: the description has no name.
        TypeError: the class is unknown, or does not accept the config.

    >>> type(deserialize(serialize(NonNeg()))).__name__
    'NonNeg'
    """
    return _known.deserialize(config, custom_objects)


__all__ = sorted({*_known.by_name, "deserialize", "get", "serialize"} - {"constraint"})
__getattr__ = missing(__name__)
