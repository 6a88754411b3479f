"""The base of a dataset: how it is iterated over, and what it says of itself."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from itertools import islice
from typing import Any, Self, TypeVar

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.engine.setting import Setting
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.values.constant import constant
from tapeviz.errors import InvalidArgumentError, OutOfRangeError
from tapeviz.tf import random_state
from tapeviz.tf.data.elements import returned, structured
from tapeviz.tf.data.spec import DatasetSpec
from tapeviz.tf.data.structures import NOTHING, shown
from tapeviz.tf.tracing.separate_graphs import is_graph_loop, unrecorded
from tapeviz.tf.tracing.spec_values import spec_of

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2

Start = Callable[[], Iterator[Any]]
"""Begins an iteration when it is called, not with the first element: a shuffle draws its order then. So an iteration
that yields nothing uses up an order, too; Keras' `fit` begins such iterations."""
Stage = Callable[[Iterator[Any]], Iterator[Any]]
"""An iteration over a dataset -> an iteration over the dataset that is made of it."""
Parts = tuple[Start, int, Any, str]
"""What a `Pipeline` is made of."""


iteration_seeds: ContextVar[dict[Any, random_state.GraphSeeds] | None] = ContextVar(
    "tapeviz.iteration_seeds", default=None
)
"""The random states of the functions of a dataset in the iteration that begins; `repeat` goes on with the same ones."""


class OwnedIterator:
    """An iterator over a dataset. The class has the name that it has in TensorFlow."""

    def __init__(self, of: Pipeline) -> None:
        self._of, self._elements = of, map(shown, of._begun())
        self._in_graph = in_graph.get() is not None

    def __iter__(self) -> Iterator[Any]:
        if not in_graph.get():
            return self
        return self._elements

    def __next__(self) -> Any:
        if in_graph.get() and not self._in_graph:
            return self.get_next()  # in a graph, an iterator from outside raises OutOfRangeError
        return next(self._elements)

    def get_next(self) -> Any:
        """The next element.

        Raises:
            OutOfRangeError: there are no more.
        """
        for element in self._elements:
            return element
        raise OutOfRangeError("End of sequence: the dataset has no further element.")

    @property
    def element_spec(self) -> Any:
        """The specs of an element, as the dataset has them."""
        return self._of.element_spec


class NumpyIterator:
    """An iterator that yields arrays and NumPy scalars. The class has the name that it has in TensorFlow."""

    def __init__(self, of: Pipeline) -> None:
        self._iterator = of._begun()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        return shown(nest.map_structure(lambda leaf: leaf.numpy(), next(self._iterator)))

    next = __next__


class Pipeline:
    """The base of `Dataset`.

    Args:
        start: a function that starts an iteration.
        size: the number of elements, or one of the constants for an infinite or unknown number.
        spec: the specs of an element, in its structure; None if they are unknown.
        kind: what it was made by, for its repr.
    """

    def __init__(self, start: Start, size: int, spec: Any, kind: str) -> None:
        self._start = start
        self._size = size
        self._spec = spec
        self._kind = kind

    @property
    def element_spec(self) -> Any:
        """The specs of an element, as a structure of `tf.TensorSpec`.

        For results of a function, a dry run finds them; if that fails, they are those of the first element.
        """
        if self._spec is None:
            with Setting(random_state.counting, False):
                for first in islice(self._start(), 1):
                    self._spec = nest.map_structure(spec_of, first)
        return self._spec

    @property
    def _type_spec(self) -> DatasetSpec:
        """Its spec as an element of another dataset."""
        return DatasetSpec(self.element_spec)

    def cardinality(self) -> Tensor:
        """The number of elements, as a scalar tensor; -1 if it is infinite, -2 if it is unknown."""
        return constant(np.int64(self._size))

    def as_numpy_iterator(self) -> NumpyIterator:
        """An iterator over the elements as arrays and NumPy scalars.

        Raises:
            TypeError: elements contain datasets.
        """
        refused = f"is not supported for datasets that produce values of type {type(self)}"
        self._require_tensors("as_numpy_iterator", refused)
        return NumpyIterator(self)

    def __iter__(self) -> Iterator[Any]:
        elements = OwnedIterator(self)
        return _unrecorded(elements) if is_graph_loop(sys._getframe(1)) else elements

    def __len__(self) -> int:
        if self._size < 0:
            infinite = self._size == INFINITE_CARDINALITY
            raise TypeError(
                "The dataset is infinite. In len: `take(count)` makes it finite."
                if infinite
                else "The dataset length is unknown. In len: go over its elements to count them."
            )
        return self._size

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<{'' if self._kind == 'Cache' else '_'}{self._kind}Dataset element_spec={self.element_spec!r}>"

    def _begun(self) -> Iterator[Any]:
        """A new iteration, with new random states."""
        with Setting(iteration_seeds, {}):
            return self._start()

    def _then(self, step: Stage, size: int, spec: Any, kind: str) -> Self:
        """The dataset of what `step` makes of an iteration over this one."""
        return type(self)(lambda: step(self._start()), size, spec, kind)

    def _like(self, step: Stage, size: int, kind: str) -> Self:
        """The same, for elements with the same specs."""
        return self._then(step, size, self._spec, kind)

    def _specs(self, change: Callable[[TensorSpec], Any]) -> Any:
        """The specs, each changed by a function; None if they are unknown."""
        return None if self._spec is None else nest.map_structure(change, self._spec)

    def _require_tensors(self, method: str, refused: str = "is not supported for elements that hold datasets") -> None:
        if self._spec is not None and any(isinstance(each, DatasetSpec) for each in nest.flatten(self._spec)):
            raise TypeError(
                f"`tf.data.Dataset.{method}()` {refused}, as those of windows do: make tensors of them first, as in "
                "dataset.flat_map(lambda window: window.batch(3))."
            )


Kind = TypeVar("Kind", bound=Pipeline)
"""The class of datasets that a method of `Dataset` is called on, and returns another one of."""


def _unrecorded(elements: Iterator[Any]) -> Iterator[Any]:
    """The elements for a loop in a `tf.function`: AutoGraph makes a reduction of it, and no gradient passes that."""
    with unrecorded():
        yield from elements


def nothing() -> Iterator[Any]:
    """An iteration without elements."""
    return iter(())


def late(start: Start) -> Iterator[Any]:
    """An iteration that starts only when its first element is needed."""
    yield from start()


def require_dataset(value: Any, otherwise: str) -> Any:
    """The value, after a check that it is a dataset.

    Raises:
        TypeError: it is not. `otherwise` is the beginning of the text.
    """
    if not isinstance(value, Pipeline):
        raise TypeError(f"{otherwise} {type(value)}.")
    return value


def leaf(value: Any) -> Any:
    """A leaf of a function's result, as one of an element: a tensor or a dataset."""
    return value if isinstance(value, Pipeline) else returned(value)


def made(value: Any, method: str) -> Any:
    """The result of a function that a method applies, as an element. A list becomes a tuple.

    Raises:
        TypeError: a leaf cannot become a tensor.
    """
    value = NOTHING if value is None else tuple(value) if isinstance(value, list) else value
    try:
        return nest.map_structure(leaf, structured(value))
    except (TypeError, ValueError, InvalidArgumentError) as error:
        raise TypeError(
            f"Unsupported return value from function passed to {method}(): {value}. A list in it is one "
            f"tensor, and there is none of this: {error}"
        ) from error


def alike(mine: Any, other: Any) -> bool:
    """Whether elements with these specs have the same structure and dtypes."""
    try:
        nest.assert_same_structure(mine, other)
    except (TypeError, ValueError):
        return False
    pairs = zip(nest.flatten(mine), nest.flatten(other), strict=True)
    return all(getattr(one, "dtype", None) is getattr(another, "dtype", None) for one, another in pairs)
