"""The base of a dataset: how it is iterated over, and what it says of itself."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import cache
from itertools import islice
from typing import Any, Self

import numpy as np

from tapeviz.data.elements import returned, structured
from tapeviz.data.spec import DatasetSpec
from tapeviz.data.structures import NOTHING, shown
from tapeviz.engine import nest, random
from tapeviz.engine.setting import Setting
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tracing import trial
from tapeviz.engine.tracing.apart import loops_apart, unrecorded
from tapeviz.engine.tracing.building import in_graph
from tapeviz.engine.tracing.collecting import collecting
from tapeviz.engine.values.constant import constant
from tapeviz.errors import InvalidArgumentError, OutOfRangeError

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2

Start = Callable[[], Iterator[Any]]
"""Begins an iteration, when called and not with its first element: what is shuffled draws its order then, so that an
iteration that nothing is taken out of uses one up. Keras' `fit` begins such ones."""
Stage = Callable[[Iterator[Any]], Iterator[Any]]
"""An iteration that was begun -> what is made of it."""


iteration_seeds: ContextVar[dict[Any, random.GraphSeeds] | None] = ContextVar("tapeviz.iteration_seeds", default=None)
"""What the functions of a dataset draw random numbers by in the iteration that begins: where a part of it is repeated
they go on."""


class OwnedIterator:
    """An iteration over a dataset, by TensorFlow's name for it."""

    def __init__(self, of: Pipeline) -> None:
        self._of, self._elements = of, map(shown, of._begun())
        self._in_graph = in_graph.get() is not None

    def __iter__(self) -> Iterator[Any]:
        return self._elements if in_graph.get() else self  # what a loop goes over ends with the loop

    def __next__(self) -> Any:
        if in_graph.get() and not self._in_graph:
            return self.get_next()  # a graph that is handed an iterator knows no StopIteration
        return next(self._elements)

    def get_next(self) -> Any:
        """The next element.

        Raises:
            OutOfRangeError: there is none.
        """
        for element in self._elements:
            return element
        raise OutOfRangeError("End of sequence: the dataset has no further element.")

    @property
    def element_spec(self) -> Any:
        """What the elements look like, as the dataset says."""
        return self._of.element_spec


class NumpyIterator:
    """An iteration over a dataset whose elements come as arrays and NumPy scalars, by TensorFlow's name for it."""

    def __init__(self, of: Pipeline) -> None:
        self._iterator = of._begun()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        return shown(nest.map_structure(lambda leaf: leaf.numpy(), next(self._iterator)))

    next = __next__


class Pipeline:
    """A function that starts an iterator, the number of elements it will give, what they look like, and a name."""

    _kind = ""

    def __init__(self, start: Start, size: int, spec: Any, kind: str) -> None:
        self._start = start
        self._size = size
        self._spec = spec
        made: Any = type(self)
        self.__class__ = _of_kind(made, kind)

    @property
    def element_spec(self) -> Any:
        """The shapes and dtypes of an element, as a structure of `tf.TensorSpec`; None is any length.

        What a function makes of the elements is found by trying it on other values; where that fails, the first element
        shows.
        """
        if self._spec is None:
            with Setting(random.counting, False):
                for first in islice(self._start(), 1):
                    self._spec = nest.map_structure(trial.spec_of, first)
        return self._spec

    @property
    def _type_spec(self) -> DatasetSpec:
        """What it looks like as an element of another dataset."""
        return DatasetSpec(self.element_spec)

    def cardinality(self) -> Tensor:
        """The number of elements; -1 for infinitely many, -2 if that is unknown."""
        return constant(np.int64(self._size))

    def as_numpy_iterator(self) -> NumpyIterator:
        """The elements as arrays and NumPy scalars.

        Raises:
            TypeError: elements that hold datasets.
        """
        refused = f"is not supported for datasets that produce values of type {_plain(type(self))}"
        self._require_tensors("as_numpy_iterator", refused)
        return NumpyIterator(self)

    def __iter__(self) -> Iterator[Any]:
        elements = OwnedIterator(self)
        asker = sys._getframe(1)
        return collecting(_unrecorded(elements), asker) if loops_apart(asker) else elements

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
        return f"<{type(self).__name__} element_spec={self.element_spec!r}>"

    def _begun(self) -> Iterator[Any]:
        """An iteration of its own."""
        with Setting(iteration_seeds, {}):
            return self._start()

    def _then(self, step: Stage, size: int, spec: Any, kind: str) -> Self:
        """A dataset of what a step makes of the elements of this one: an iteration over it begins one over this."""
        return type(self)(lambda: step(self._start()), size, spec, kind)

    def _like(self, step: Stage, size: int, kind: str) -> Self:
        """The same, of elements that look like those of this one."""
        return self._then(step, size, self._spec, kind)

    def _specs(self, change: Callable[[TensorSpec], Any]) -> Any:
        """The specs changed leaf by leaf, if they are known."""
        return None if self._spec is None else nest.map_structure(change, self._spec)

    def _require_tensors(self, method: str, refused: str = "is not supported for elements that hold datasets") -> None:
        if self._spec is not None and any(isinstance(each, DatasetSpec) for each in nest.flatten(self._spec)):
            raise TypeError(
                f"`tf.data.Dataset.{method}()` {refused}, as those of windows do: make tensors of them first, as in "
                "dataset.flat_map(lambda window: window.batch(3))."
            )


def _plain(pipeline: type[Pipeline]) -> Any:
    """The class that datasets of a kind are of, whatever the kind."""
    return next(each for each in pipeline.__mro__ if not each.__dict__.get("_kind"))


@cache
def _of_kind(pipeline: type[Pipeline], kind: str) -> Any:
    """The class of the datasets of a kind, by TensorFlow's name for it, which Python's errors tell."""
    plain = _plain(pipeline)
    name = f"{'' if kind == 'Cache' else '_'}{kind}Dataset"
    return type(name, (plain,), {"_kind": kind, "__module__": plain.__module__})


def _unrecorded(elements: Iterator[Any]) -> Iterator[Any]:
    """What a loop in a `tf.function` goes over: AutoGraph makes a reduction of it, through which no gradient passes."""
    with unrecorded():
        yield from elements


def nothing() -> Iterator[Any]:
    """An iteration that is at its end."""
    return iter(())


def late(start: Start) -> Iterator[Any]:
    """An iteration that begins with its first element."""
    yield from start()


def require_dataset(value: Any, otherwise: str) -> Any:
    """The dataset itself.

    Raises:
        TypeError: it is none; `otherwise` says so, up to what it is.
    """
    if not isinstance(value, Pipeline):
        raise TypeError(f"{otherwise} {type(value)}.")
    return value


def leaf(value: Any) -> Any:
    """A leaf of what a function returns, as an element holds it: a tensor or a dataset."""
    return value if isinstance(value, Pipeline) else returned(value)


def made(value: Any, method: str) -> Any:
    """What a function that a method applies returns, as an element: what is all of it, a list as a tuple, or None.

    Raises:
        TypeError: what makes no tensor.
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
    """Whether elements have one structure and the same dtypes."""
    try:
        nest.assert_same_structure(mine, other)
    except (TypeError, ValueError):
        return False
    pairs = zip(nest.flatten(mine), nest.flatten(other), strict=True)
    return all(getattr(one, "dtype", None) is getattr(another, "dtype", None) for one, another in pairs)
