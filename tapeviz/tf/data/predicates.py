"""A dataset and a function that says True or False of an element -> the elements that it chooses."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.tf.data.elements import applied
from tapeviz.tf.data.iterating import running
from tapeviz.tf.data.pipeline import UNKNOWN_CARDINALITY, Kind, made
from tapeviz.tf.data.structures import Nothing
from tapeviz.tf.tracing.result_specs import results_of
from tapeviz.tf.tracing.spec_values import spec_of


def filtered(self: Kind, predicate: Callable[..., Any], name: str | None = None) -> Kind:
    """The elements for which a function returns True.

    Raises:
        ValueError: the function does not return a bool scalar.
        AttributeError: it returns several values.
    """
    begin = _judge(self, predicate, ", but its return type is ", "Dataset.filter")
    return self._like(lambda elements: filter(begin(), elements), UNKNOWN_CARDINALITY, "Filter")


def take_while(self: Kind, predicate: Callable[..., Any], name: str | None = None) -> Kind:
    """The elements before the first one for which a function returns False.

    Raises:
        ValueError: the function does not return a bool scalar.
        AttributeError: it returns several values.

    >>> import tapeviz as tf
    >>> [int(each) for each in tf.data.Dataset.range(9).take_while(lambda x: x * x < 5)]
    [0, 1, 2]
    """
    begin = _judge(self, predicate, " but its return type is", "Dataset.take_while")
    return self._like(lambda elements: takewhile(begin(), elements), UNKNOWN_CARDINALITY, "TakeWhile")


def _judge(self: Kind, predicate: Callable[..., Any], but: str, method: str) -> Callable[[], Callable[[Any], Any]]:
    """What starts a function that gives a bool for an element, tried on one."""

    def asked(element: Any) -> Any:
        return made(applied(predicate, element), method)

    def judged(element: Any) -> Any:
        verdict = asked(element)
        _require_bool(nest.map_structure(spec_of, verdict), but)
        return verdict

    spec = results_of(asked, self._spec)
    if spec is not None:
        _require_bool(spec, but)
    return running(judged)


def _require_bool(spec: Any, but: str) -> None:
    """Raise unless there is one truth value.

    Raises:
        ValueError: there is something else, or nothing.
        AttributeError: there are several values, which TensorFlow trips over.
    """
    if isinstance(spec, (tuple, dict)) and type(spec) is not Nothing:
        raise AttributeError(
            f"{type(spec).__name__!r} object has no attribute 'is_compatible_with'. A predicate gives one truth value."
        )
    if not isinstance(spec, TensorSpec) or spec.dtype.name != "bool" or spec.shape.rank:
        raise ValueError(f"Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor{but}{spec!r}.")
