"""`tf.data.experimental`: the older names of what datasets have."""

from __future__ import annotations

from typing import Any

from tapeviz.data.options import AutotuneOptions, OptimizationOptions, ThreadingOptions
from tapeviz.data.pipeline import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, require_dataset
from tapeviz.engine.api import missing


def cardinality(dataset: Any) -> Any:
    """The number of elements of a dataset; -1 for infinitely many, -2 if that is unknown.

    Raises:
        TypeError: no dataset.

    >>> import tapeviz as tf
    >>> int(cardinality(tf.data.Dataset.range(7).batch(2)))
    4
    """
    return require_dataset(dataset, "cardinality: a `tf.data.Dataset` is wanted, not").cardinality()


__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "AutotuneOptions",
    "OptimizationOptions",
    "ThreadingOptions",
    "cardinality",
]
__getattr__ = missing("tapeviz.data.experimental")
