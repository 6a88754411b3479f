"""`tf.data.experimental`: the older names of what datasets have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tapeviz.engine.functions.integers import long_of
from tapeviz.errors import FailedPreconditionError
from tapeviz.tf.data.options import AutotuneOptions, OptimizationOptions, ThreadingOptions
from tapeviz.tf.data.pipeline import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, require_dataset
from tapeviz.tf.names import missing


def cardinality(dataset: Any) -> Any:
    """The number of elements of a dataset; -1 if it is infinite, -2 if it is unknown.

    Raises:
        TypeError: the argument is not a dataset.

    >>> import tapeviz as tf
    >>> int(cardinality(tf.data.Dataset.range(7).batch(2)))
    4
    """
    return require_dataset(dataset, "cardinality: a `tf.data.Dataset` is wanted, not").cardinality()


def assert_cardinality(expected_cardinality: Any) -> Callable[[Any], Any]:
    """A function for `dataset.apply`, after which the dataset has a known number of elements.

    Args:
        expected_cardinality: the number.

    Raises:
        FailedPreconditionError: while iterating, if there are fewer or more elements.

    >>> import tapeviz as tf
    >>> odd = tf.data.Dataset.range(6).filter(lambda x: x % 2 == 1)
    >>> len(odd.apply(assert_cardinality(3)))
    3
    """
    size = long_of(expected_cardinality, "expected_cardinality")

    def counted(elements: Iterator[Any]) -> Iterator[Any]:
        told = f"assert_cardinality({size}) does not hold: the dataset has"
        number = 0
        for number, element in enumerate(elements, 1):
            if number > size >= 0:
                raise FailedPreconditionError(f"{told} at least {number} elements.")
            yield element
        if number < size or size == INFINITE_CARDINALITY:
            raise FailedPreconditionError(f"{told} only {number} elements.")

    return lambda dataset: dataset._like(counted, size, "AssertCardinality")


__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "AutotuneOptions",
    "OptimizationOptions",
    "ThreadingOptions",
    "assert_cardinality",
    "cardinality",
]
__getattr__ = missing(__name__)
