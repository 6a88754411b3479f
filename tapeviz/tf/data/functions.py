"""A dataset and a function of its elements -> the results.

Tapes do not record such a function.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from itertools import repeat
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.functions.integers import long_of
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.errors import InvalidArgumentError
from tapeviz.tf.data.elements import applied, called, returned, structured
from tapeviz.tf.data.iterating import running
from tapeviz.tf.data.pipeline import UNKNOWN_CARDINALITY, Kind, Pipeline, made
from tapeviz.tf.data.spec import DatasetSpec
from tapeviz.tf.tracing.result_specs import results_of
from tapeviz.tf.tracing.spec_values import common, spec_of

_END = object()
"""What `next` returns after the last element."""


def mapped_by(
    self: Kind,
    map_func: Callable[..., Any],
    num_parallel_calls: Any = None,
    deterministic: bool | None = None,
    synchronous: bool | None = None,
    use_unbounded_threadpool: bool = False,
    name: str | None = None,
) -> Kind:
    """The results of a function for each element. A tuple becomes several arguments.

    Args:
        map_func: the function. It is called once before, in a dry run.
        num_parallel_calls: ignored, as are the other arguments.

    Raises:
        TypeError, ValueError: shapes or dtypes do not fit in the function.
        Exception: any error of the function.
    """

    known = self._spec if self._kind in ("Batch", "ParallelBatch", "PaddedBatch") else None

    def mapped(element: Any) -> Any:
        return made(applied(map_func, element, known), "Dataset.map")

    kind = "Map" if _parallel(num_parallel_calls) is None else "ParallelMap"
    spec = results_of(mapped, self._spec, by_values=True)
    _require_some(spec, "map")
    begin = running(mapped)
    if not any(isinstance(each, DatasetSpec) for each in nest.flatten(spec)):
        return self._then(lambda elements: map(begin(), elements), self._size, spec, kind)
    apart = partial(nest.map_structure, _as_element)
    return self._then(lambda elements: map(apart, map(begin(), elements)), self._size, spec, kind)


def scanned_by(self: Kind, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None) -> Kind:
    """The outputs of `state, output = scan_func(state, element)` for each element.

    Args:
        initial_state: the first state, a tensor or a structure.
        scan_func: the function.

    Raises:
        TypeError: the function does not return a pair, or changes the dtype of the state.
        InvalidArgumentError: while iterating, if it changes the number of tensors in the state.

    >>> import tapeviz as tf
    >>> sums = tf.data.Dataset.range(4).scan(tf.constant(0, tf.int64), lambda total, x: (total + x, total + x))
    >>> [int(each) for each in sums]
    [0, 1, 3, 6]
    """
    first = nest.map_structure(returned, structured(initial_state))

    def scanned(state_and_element: Any) -> Any:
        found = made(called(scan_func)(*state_and_element), "Dataset.scan")
        if not isinstance(found, tuple) or len(found) != 2:
            raise TypeError(
                "Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the output "
                f"value but its return type is {nest.map_structure(spec_of, found)}."
            )
        _require_same_state(first, found[0], "Invalid `scan_func`. ", ", got")
        return found

    begin = running(scanned)

    def outputs(elements: Iterator[Any]) -> Iterator[Any]:
        state, step = first, begin()
        for element in elements:
            state, output = step((state, element))
            yield output

    spec = _outputs(self, scanned, first)
    _require_some(spec, "scan")
    return self._then(outputs, self._size, spec, "Scan")


def reduced_by(self: Kind, initial_state: Any, reduce_func: Callable[[Any, Any], Any], name: str | None = None) -> Any:
    """The last state of `state = reduce_func(state, element)` after all elements.

    Args:
        initial_state: the first state, a tensor or a structure.
        reduce_func: the function.

    Raises:
        TypeError: the function changes the dtype of the state, or dtypes do not fit in it.
        ValueError: shapes do not fit in it.
        InvalidArgumentError: it changes the number of tensors in the state.
    """
    state = first = nest.map_structure(returned, structured(initial_state))

    def step(state_and_element: Any) -> Any:
        found = made(called(reduce_func)(*state_and_element), "reduce")
        _require_same_state(first, found)
        return found, ()

    _outputs(self, step, first)
    take = running(step)()
    for element in self._begun():
        state, _ = take((state, element))
    return state


def flat_map(self: Kind, map_func: Callable[..., Any], name: str | None = None) -> Kind:
    """The elements of the datasets that a function returns for each element, one dataset after the other.

    Raises:
        TypeError: the function does not return a dataset.

    >>> import tapeviz as tf
    >>> rows = tf.data.Dataset.from_tensors([1, 2]).flat_map(tf.data.Dataset.from_tensor_slices)
    >>> [int(each) for each in rows]
    [1, 2]
    """
    return _interleaved(self, map_func, 1, None, "FlatMap")


def interleave(
    self: Kind,
    map_func: Callable[..., Any],
    cycle_length: Any = None,
    block_length: Any = None,
    num_parallel_calls: Any = None,
    deterministic: bool | None = None,
    name: str | None = None,
) -> Kind:
    """The elements of the datasets that a function returns for each element, in turns.

    Args:
        map_func: a function of an element that returns a dataset.
        cycle_length: how many datasets take turns; by default as many as there are processors.
        block_length: how many elements of a dataset come in one turn.

    Raises:
        TypeError: the function does not return a dataset.
        InvalidArgumentError: a length is less than 1.

    >>> import tapeviz as tf
    >>> parts = tf.data.Dataset.range(2).interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(2), 2)
    >>> [int(each) for each in parts]
    [0, 1, 0, 1]
    """
    cycle = -1 if cycle_length is None else long_of(cycle_length, "cycle_length")
    block = 1 if block_length is None else long_of(block_length, "block_length")
    cycle = _processors() if cycle == -1 else cycle
    for what, length in (("cycle_length", cycle), ("block_length", block)):
        require(length > 0, f"{what} must be greater than zero. In interleave: {what} is {length}.")
    at_once = _parallel(num_parallel_calls)
    require(
        at_once is None or cycle_length is None or at_once <= cycle,
        "If `cycle_length` is set to a fixed value, `num_parallel_calls` must be either `tf.data.AUTOTUNE` or a "
        f"value less than or equal to `cycle_length`. However, `num_parallel_calls` is {at_once} and "
        f"`cycle_length` is {cycle}",
    )
    kind = "Interleave" if at_once is None else "ParallelInterleave"
    return _interleaved(self, map_func, cycle, block, kind)


def _outputs(self: Kind, step: Callable[[Any], Any], state: Any) -> Any:
    """The specs of the outputs of a step from state to state, when the specs of the state no longer change."""
    specs, found = nest.map_structure(spec_of, state), None
    while self._spec is not None:
        found = results_of(step, (specs, self._spec), by_values=True)
        wider = specs if found is None else nest.map_structure(common, specs, found[0])
        if wider == specs:
            break
        specs = wider
    return None if found is None else found[1]


def _interleaved(self: Kind, map_func: Callable[..., Any], cycle: int, block: int | None, kind: str) -> Kind:
    def mapped(element: Any) -> Any:
        found = applied(map_func, element)
        found = tuple(found) if isinstance(found, list) else found
        if not isinstance(found, Pipeline):
            said = f"The `map_func` argument must return a `Dataset` object. Got {type(found)}."
            if isinstance(found, Tensor):  # TensorFlow trips over its own message
                raise AttributeError(f"'Tensor' object has no attribute '_name'. {said}")
            raise TypeError(said)
        return found

    begin = running(mapped)

    def by_turns(elements: Iterator[Any]) -> Iterator[Any]:
        return _by_turns((each._start() for each in map(begin(), elements)), cycle, block)

    spec = results_of(mapped, self._spec, by_values=True)
    inner = spec.element_spec if isinstance(spec, DatasetSpec) else None
    return self._then(by_turns, UNKNOWN_CARDINALITY, inner, kind)


def _require_some(spec: Any, method: str) -> None:
    """Raise InvalidArgumentError if a function is known to return no tensor."""
    require(
        spec is None or bool(nest.flatten(spec)),
        "Length for attr 'output_shapes' of 0 must be at least minimum 1. The function passed to "
        f"Dataset.{method}() returned nothing: a tensor, or a structure of tensors, is expected.",
    )


def _parallel(num_parallel_calls: Any) -> int | None:
    """How many calls TensorFlow would make at once, -1 for as many as it likes; None for one after the other.

    Raises:
        InvalidArgumentError: none at all.
    """
    if num_parallel_calls is None:
        return None
    at_once = long_of(num_parallel_calls)
    require(
        at_once > 0 or at_once == -1,
        "num_parallel_calls must be greater than 0, or tf.data.AUTOTUNE: it is how many calls run at once.",
    )
    return at_once


def _as_element(leaf: Any) -> Any:
    """A leaf of an element; a dataset in it loses its kind."""
    return leaf._like(lambda elements: elements, leaf._size, "Variant") if isinstance(leaf, Pipeline) else leaf


def _processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _by_turns(iterators: Iterator[Iterator[Any]], cycle: int, block: int | None) -> Iterator[Any]:
    """The elements of up to `cycle` iterators in turn, `block` of each (None: all); when one ends, the next takes its
    place."""
    places: list[Iterator[Any] | None] = [None] * cycle
    left = True
    while left or any(place is not None for place in places):
        for index in range(cycle):
            if places[index] is None and left:
                places[index] = next(iterators, None)
                left = places[index] is not None
            for _ in repeat(None) if block is None else repeat(None, block):
                element = next(places[index] or iter(()), _END)
                if element is _END:
                    places[index] = None
                    break
                yield element


def _require_same_state(first: Any, state: Any, where: str = "", got: str = " but got") -> None:
    sizes = len(nest.flatten(first)), len(nest.flatten(state))
    if sizes[0] != sizes[1]:
        raise InvalidArgumentError(
            f"{where}The state has {sizes[0]} parts: reduce and scan give as many, not {sizes[1]}.", at_run=True
        )
    have, found = (nest.map_structure(lambda each: each.dtype, of) for of in (first, state))
    if nest.flatten(have) != nest.flatten(found):
        raise TypeError(
            f"{where}The element types for the new state must match the initial state. Expected {have}{got} {found}."
        )
