"""A function and the specs of its arguments -> the specs of its results, found by dry runs.

Where a length or a rank of the arguments is unknown, the function runs with several: what differs among the results is
unknown there, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial, reduce
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.graph_mode.building import building
from tapeviz.engine.setting import Setting
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.errors import InvalidArgumentError, OpError
from tapeviz.tf.tracing.dry_run import dry_run
from tapeviz.tf.tracing.spec_values import common, of_spec, ramp, spec_of
from tapeviz.tf.tracing.uncalled import OpenRank, length_of_results, rank_of_results

LENGTHS = (4, 6)
"""What unknown lengths are tried with: an axis of the result that differs between the two is unknown itself."""
SHORT_LENGTHS = (0, 1)
"""What they are tried with next, as far as the function takes them: a slice `[:2]` of these is shorter than 2."""
FEW_LENGTHS = range(1, 9)
"""What they are tried with if `LENGTHS` do not fit in the function."""
RANKS = (0, 1, 2, 3)
"""What unknown ranks are tried with, as far as the function takes them."""
_UNFIT = (OpError, ValueError, TypeError, LookupError, ArithmeticError, AssertionError)
"""What a function may raise because a rank, a length or a value does not fit; any other error is the function's own."""
_AVOIDED_BY_RANK = (OpError, IndexError, AssertionError)
"""Those among them that a higher rank may avoid: at rank 4 there is an `x.shape[3]`."""


def results_of(function: Callable[..., Any], specs: Any, by_values: bool = False) -> Any:
    """The specs of the results of a function, in their structure.

    Args:
        function: a function of one argument.
        specs: the spec of the argument, or a structure of specs; None if it is unknown.
        by_values: whether it is run with other values as well. A length that differs then is unknown, and so is a
            length of 0, which may depend on a condition.

    Returns:
        The specs; None if they cannot be found.

    Raises:
        TypeError, ValueError: shapes or dtypes do not fit in the function, as TensorFlow tells while it traces it.
        Exception: any error of the function's Python code.
    """
    if specs is None:
        return None
    if any(each.shape.rank is None for each in nest.flatten(specs)):
        return _at_ranks(
            lambda rank: results_of(function, nest.map_structure(partial(_ranked, rank=rank), specs), by_values)
        )
    try:
        return Trial(function, specs).results(by_values)
    except OpenRank:

        def found_at(rank: int) -> Any:
            with Setting(rank_of_results, rank):
                return Trial(function, specs).results(by_values)

        return _at_ranks(found_at)


def _ranked(spec: Any, rank: int) -> Any:
    return TensorSpec([None] * rank, spec.dtype) if spec.shape.rank is None else spec


def _at_ranks(results_at: Callable[[int], Any]) -> Any:
    """The specs of the results of a function, of which `results_at` gives those for one rank of its arguments.

    Raises:
        Exception: the function raises the same error at every rank, so that it is not about the rank.
    """
    found: Any = None
    errors = []
    for rank in RANKS:
        try:
            found = _merged(found, results_at(rank))
        except _UNFIT as error:
            errors.append(error)
    alike = len(errors) == len(RANKS) and len({(type(each), str(each)) for each in errors}) == 1
    if alike and not isinstance(errors[0], _AVOIDED_BY_RANK):
        raise errors[0]
    return found


class Trial:
    """A function, to be run on values of given specs, whose ranks are known."""

    def __init__(self, function: Callable[..., Any], specs: Any) -> None:
        self._function, self._specs = function, specs
        shapes = [each.shape for each in nest.flatten(specs) if isinstance(each, TensorSpec)]
        defined = len(shapes) == len(nest.flatten(specs)) and all(shape.is_fully_defined() for shape in shapes)
        self._known = defined and rank_of_results.get() is None

    def results(self, by_values: bool) -> Any:
        """The specs of the results, as `results_of` finds them."""
        found = self._at_usual_lengths()
        if self._known and not found:
            return None
        if not self._known and len(found) < len(LENGTHS):  # few lengths fit, as in `x + tf.ones([3])`
            return reduce(_merged, self._fitting(FEW_LENGTHS), None)
        merged = _merged(found[0], found[-1])
        if not self._known:
            merged = _merged(merged, next(self._fitting(SHORT_LENGTHS), None))
        return self._by_values(merged) if by_values else merged

    def _at_usual_lengths(self) -> list[Any]:
        """The specs of the results for each length that fits.

        Raises:
            Exception: the error of the function, if it is not about the lengths.
        """
        found: list[Any] = []
        misfit: ValueError | None = None
        for length in LENGTHS[:1] if self._known else LENGTHS:
            try:
                found.append(self._run(length))
            except InvalidArgumentError:  # TensorFlow raises it when the graph runs
                continue
            except ValueError as error:
                if self._known or not isinstance(error.__cause__, InvalidArgumentError):
                    raise
                misfit = misfit or error
        if misfit is not None and not found and next(self._fitting((*FEW_LENGTHS, *SHORT_LENGTHS)), None) is None:
            raise misfit
        return found

    def _fitting(self, lengths: Iterable[int]) -> Iterator[Any]:
        """The specs of the results for each of these lengths that fits."""
        for length in lengths:
            with suppress(*_UNFIT):
                yield self._run(length)

    def _by_values(self, found: Any) -> Any:
        """The specs `found`, with those lengths unknown that other values change, or that are 0."""
        with suppress(*_UNFIT):
            found = _merged(found, self._run(LENGTHS[0], fill=ramp))
        return nest.map_structure(_without_zeros, found)

    def _run(self, length: int, fill: Callable[..., Any] = np.ones) -> Any:
        """The specs of the results where unknown lengths are `length`, and the numbers are those of `fill`."""
        values = nest.map_structure(lambda spec: of_spec(spec, length, fill), self._specs)
        with dry_run(), building(values), Setting(length_of_results, length):
            return nest.map_structure(spec_of, self._function(values))


def _merged(one: Any, other: Any) -> Any:
    """The most specific specs that fit the results of both runs; None is for a run that tells nothing."""
    if one is None or other is None:
        return other if one is None else one
    return nest.map_structure(common, one, other)


def _without_zeros(spec: Any) -> Any:
    if not isinstance(spec, TensorSpec) or spec.shape.rank is None:
        return spec
    return TensorSpec([each or None for each in spec.shape], spec.dtype)
