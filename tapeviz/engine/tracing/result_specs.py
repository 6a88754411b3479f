"""A function and the specs of its arguments -> the specs of its results, found by dry runs.

Where a length or a rank of the arguments is unknown, the function runs with several: what differs among the results is
unknown there, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import partial
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.setting import Setting
from tapeviz.engine.specs.dtypes import DType
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.engine.tracing.building import building
from tapeviz.engine.tracing.dry_run import dry_run, is_dry_run
from tapeviz.engine.values.constant import make
from tapeviz.engine.values.convert import unboxed
from tapeviz.errors import InvalidArgumentError, OpError

LENGTHS = (4, 6)
"""What unknown lengths are tried with: an axis of the result that differs between the two is unknown itself."""
SHORT_LENGTHS = (0, 1)
"""What they are tried with next, as far as the function takes them: a slice `[:2]` of these is shorter than 2."""
FEW_LENGTHS = range(1, 9)
"""What they are tried with if `LENGTHS` do not fit in the function."""
RANKS = (0, 1, 2, 3)
"""What unknown ranks are tried with, as far as the function takes them."""
_MISFITS = (OpError, ValueError, TypeError, LookupError, ArithmeticError, AssertionError)
"""What a function may raise because a rank or a value does not suit it; any other error is the function's own."""
_OF_RANK = (OpError, IndexError, AssertionError)
"""Those among them that a higher rank may avoid: at rank 4 there is an `x.shape[3]`."""

_rank: ContextVar[int | None] = ContextVar("tapeviz.dry_run.rank", default=None)
"""The rank that the results of Python functions have in this dry run, if one is chosen."""
_length: ContextVar[int] = ContextVar("tapeviz.dry_run.length", default=LENGTHS[0])
"""The length of the axes of these results."""


class OpenRank(Exception):
    """A dry run has reached a Python function that must not be called, and whose results may have any rank."""


def stand_ins(dtypes: Sequence[DType]) -> list[Any] | None:
    """In a dry run, tensors in place of the results of a Python function, which may have side effects; otherwise None.

    Raises:
        OpenRank: no rank is chosen for them yet.
    """
    if not is_dry_run.get():
        return None
    rank = _rank.get()
    if rank is None:
        raise OpenRank
    return [of_spec(TensorSpec([None] * rank, dtype), _length.get(), np.ones) for dtype in dtypes]


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
        return _found(function, specs, by_values)
    except OpenRank:

        def found_at(rank: int) -> Any:
            with Setting(_rank, rank):
                return _found(function, specs, by_values)

        return _at_ranks(found_at)


def _found(function: Callable[..., Any], specs: Any, by_values: bool) -> Any:
    """The specs of the results, where all ranks are known."""
    defined = all(isinstance(each, TensorSpec) and each.shape.is_fully_defined() for each in nest.flatten(specs))
    known = defined and _rank.get() is None
    tries = [_tried(function, specs, length, known) for length in (LENGTHS[:1] if known else LENGTHS)]
    misfits = [each for each in tries if isinstance(each, ValueError)]
    if len(misfits) == len(LENGTHS) and len({*map(_misfit, misfits)}) == 1:
        raise misfits[0]
    if misfits or None in tries:
        return None if known else _at_lengths(function, specs)
    found = nest.map_structure(common, tries[0], tries[-1])
    if not known:
        found = _of_short(function, specs, found)
    return _by_values(function, specs, found) if by_values else found


def _at_lengths(function: Callable[..., Any], specs: Any) -> Any:
    """The specs of the results where only few lengths fit, as in `x + tf.ones([3])`; None if none of those tried does.

    Where an axis of the arguments must have a certain length, so has the result, though the graph did not know it.
    """
    found: Any = None
    for length in FEW_LENGTHS:
        try:
            other = _tried(function, specs, length, False)
        except _MISFITS:
            continue
        if other is not None and not isinstance(other, ValueError):
            found = other if found is None else nest.map_structure(common, found, other)
    return found


def _misfit(error: ValueError) -> str:
    """TensorFlow's message about shapes that do not fit, without the lengths that are told here in addition."""
    cause = error.__cause__
    return getattr(cause, "while_building", None) or str(cause).split(". In ")[0]


def _at_ranks(results_at: Callable[[int], Any]) -> Any:
    """The specs of the results of a function, of which `results_at` gives those for one rank of its arguments.

    Raises:
        Exception: the function raises the same error at every rank, so that it is not about the rank.
    """
    found: Any = None
    errors = []
    for rank in RANKS:
        try:
            other = results_at(rank)
            if other is not None:
                found = other if found is None else nest.map_structure(common, found, other)
        except _MISFITS as error:
            errors.append(error)
    alike = len(errors) == len(RANKS) and len({(type(each), str(each)) for each in errors}) == 1
    if alike and not isinstance(errors[0], _OF_RANK):
        raise errors[0]
    return found


def _of_short(function: Callable[..., Any], specs: Any, found: Any) -> Any:
    """The specs `found`, with lengths unknown that a short input changes; if that fails, nothing is learnt."""
    for length in SHORT_LENGTHS:
        try:
            other = _tried(function, specs, length, False)
        except _MISFITS:
            continue
        if other is not None and not isinstance(other, ValueError):
            return nest.map_structure(common, found, other)
    return found


def _ranked(spec: Any, rank: int) -> Any:
    return TensorSpec([None] * rank, spec.dtype) if spec.shape.rank is None else spec


def _by_values(function: Callable[..., Any], specs: Any, found: Any) -> Any:
    """The specs `found`, with lengths unknown that other values change; if that fails, nothing is learnt."""
    try:
        other = _tried(function, specs, LENGTHS[0], True, fill=ramp)
        found = found if other is None else nest.map_structure(common, found, other)
    except _MISFITS:
        pass
    return nest.map_structure(_without_zeros, found)


def common(one: Any, other: Any) -> Any:
    """The most specific spec that fits the values of both."""
    if not isinstance(one, TensorSpec):
        return one.common(other)
    return TensorSpec(one.shape.most_specific_compatible_shape(other.shape), one.dtype)


def spec_of(value: Any) -> Any:
    """The spec of a tensor, or of a dataset, which knows its own."""
    return value._type_spec if hasattr(value, "_type_spec") else TensorSpec.of(value)


def of_spec(spec: Any, length: int, fill: Callable[..., Any]) -> Any:
    """A value with a spec. Unknown lengths are `length`, and the numbers are `fill(shape, dtype)`."""
    if not isinstance(spec, TensorSpec):
        return spec.filled(length, fill)
    shape = [length if each is None else each for each in spec.shape]
    empty = spec.dtype.name == "string"
    return make(unboxed(np.full(shape, b"", object) if empty else fill(shape, spec.dtype.as_numpy_dtype)))


def ramp(shape: list[int], dtype: Any) -> Any:
    """An array of 2, 0, 1, 2, 0, 1 and so on, or of False, True, ...

    A scalar is 2, because a loop may never end with 0.
    """
    return np.resize([False, True] if dtype == np.bool_ else [2, 0, 1], shape).astype(dtype)


def _without_zeros(spec: Any) -> Any:
    if not isinstance(spec, TensorSpec) or spec.shape.rank is None:
        return spec
    return TensorSpec([each or None for each in spec.shape], spec.dtype)


def _tried(function: Callable[..., Any], specs: Any, length: int, known: bool, fill: Any = np.ones) -> Any:
    """The specs of the results, where unknown lengths are `length`.

    None if the function fails for these values; the ValueError if it fails for these shapes, unless all lengths are
    `known`: then it is raised.
    """
    values = nest.map_structure(lambda spec: of_spec(spec, length, fill), specs)
    try:
        with dry_run(), building(values), Setting(_length, length):
            return nest.map_structure(spec_of, function(values))
    except InvalidArgumentError:
        return None
    except ValueError as error:
        if known or not isinstance(error.__cause__, InvalidArgumentError):
            raise
        return error
