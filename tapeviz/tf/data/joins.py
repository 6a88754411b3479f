"""Several datasets -> one with the elements of all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.kernels.philox import Philox
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.specs.dtypes import as_dtype
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.tf.data.elements import array
from tapeviz.tf.data.pipeline import (
    INFINITE_CARDINALITY,
    UNKNOWN_CARDINALITY,
    Kind,
    Parts,
    alike,
    nothing,
    require_dataset,
)
from tapeviz.tf.data.shuffling import drawn
from tapeviz.tf.data.sources import counter
from tapeviz.tf.tracing.spec_values import common

_CHOICES = "Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but is"
_CHOSEN = "Invalid `datasets`. Each of them should be a `tf.data.Dataset` but one is"


def zipped(*args: Any, datasets: Any) -> Parts:
    """The elements of several datasets side by side, in the structure of the arguments."""
    if not args and datasets is None:
        raise TypeError("Must pass at least one dataset to `zip`.")
    structure = datasets if datasets is not None else args[0] if len(args) == 1 else args
    if _has_list(structure):
        raise TypeError(
            "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects. "
            "Python `list` is not supported and you should use `tuple` instead."
        )
    parts = nest.flatten(structure)
    require(len(parts) > 0, "Length for attr 'output_types' of 0 must be at least minimum 1. In zip.")
    for part in parts:
        require_dataset(
            part,
            "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects "
            "but encountered object of type",
        )

    def start() -> Iterator[Any]:
        together = zip(*(part._start() for part in parts), strict=False)
        return (nest.pack_sequence_as(structure, each) for each in together)

    sizes = [part._size for part in parts]
    finite = [size for size in sizes if size >= 0]
    unknown = UNKNOWN_CARDINALITY in sizes
    size = UNKNOWN_CARDINALITY if unknown else min(finite) if finite else INFINITE_CARDINALITY
    known = all(part._spec is not None for part in parts)
    spec = nest.map_structure(lambda part: part._spec, structure) if known else None
    return start, size, spec, "Zip"


def enumerated(self: Kind, start: Any = 0, name: str | None = None) -> Kind:
    """Pairs of a number, counted from `start`, and an element."""
    kind = type(self)
    return kind(*zipped(kind(*counter(start, 1, "int64")), self, datasets=None))


def choose_from_datasets(datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool) -> Parts:
    """The elements of several datasets in the order that another dataset defines."""
    require_dataset(choice_dataset, _CHOICES)
    if choice_dataset.element_spec != TensorSpec((), "int64"):
        raise TypeError(
            "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` tensors but are "
            f"{choice_dataset.element_spec}."
        )
    return _directed(datasets, lambda: map(int, choice_dataset._start()), stop_on_empty_dataset)


def sample_from_datasets(
    datasets: Any, weights: Any, seed: Any, stop_on_empty_dataset: bool, rerandomize_each_iteration: bool | None
) -> Parts:
    """The elements of several datasets, each from a dataset that is drawn at random."""
    datasets = _some(datasets)
    shares = np.ones(len(datasets)) if weights is None else array(weights)
    if len(shares) != len(datasets):
        raise ValueError(
            "Invalid `weights`. `weights` should have the same length as `datasets` but got "
            f"`len(weights)={len(shares)}` vs. `len(datasets)={len(datasets)}`."
        )
    if shares.dtype not in (np.float32, np.float64):
        raise TypeError(
            "Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64` but is "
            f"{as_dtype(shares.dtype)!r}: give them as floats."
        )
    shares = shares.astype(np.float64)
    likely = [place for place, share in enumerate(shares) if share > 0]
    if not likely:
        return _directed(datasets, nothing, stop_on_empty_dataset)
    if len(likely) == 1:
        only = require_dataset(datasets[likely[0]], _CHOSEN)
        return only._start, only._size, only._spec, only._kind
    sums = shares[likely].cumsum()
    words = drawn(seed, rerandomize_each_iteration or False, "rerandomize_each_iteration")

    def places(draw: Iterator[int]) -> Iterator[int]:
        while True:
            chance = Philox.of_pair([next(draw), next(draw)]).random((), np.float64)
            yield int(np.searchsorted(sums, chance * sums[-1], side="right"))

    return _directed([datasets[place] for place in likely], lambda: places(words()), stop_on_empty_dataset)


def _directed(datasets: Any, places: Callable[[], Iterator[int]], stop: bool) -> Parts:
    """The elements of several datasets, chosen one by one by the index of the dataset."""
    datasets = [require_dataset(each, _CHOSEN) for each in _some(datasets)]
    spec = datasets[0].element_spec
    for place, other in enumerate(datasets):
        if not alike(spec, other.element_spec):
            raise TypeError(
                "Invalid `datasets`. `datasets` must have compatible element specs.\n Dataset 0 "
                f"element_spec={spec}.\nDataset {place} element_spec={other.element_spec}."
            )
        spec = nest.map_structure(common, spec, other.element_spec)

    def directed(at: Iterator[int], iterators: dict[int, Iterator[Any]]) -> Iterator[Any]:
        for place in at:
            require(0 <= place < len(datasets), f"Selector index out of range: {place} >= {len(datasets)}.")
            for element in iterators.get(place, ()):
                yield element
                break
            else:
                iterators.pop(place, None)
                if stop or not iterators:
                    return

    def start() -> Iterator[Any]:
        return directed(places(), {place: each._start() for place, each in enumerate(datasets)})

    endless = any(each._size == INFINITE_CARDINALITY for each in datasets)
    return start, INFINITE_CARDINALITY if endless else UNKNOWN_CARDINALITY, spec, "DirectedInterleave"


def _has_list(structure: Any) -> bool:
    """Whether there is a list in a structure of tuples and dicts."""
    inside = structure.values() if isinstance(structure, dict) else structure if nest.is_nested(structure) else ()
    return isinstance(structure, list) or any(map(_has_list, inside))


def _some(datasets: Any) -> list[Any]:
    """The datasets to choose from, at least one."""
    found = list(datasets)
    if not found:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    return found
