"""A function and the specs of its arguments -> the specs of its results, found by trying it out."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from contextvars import ContextVar
from functools import partial
from typing import Any
from weakref import ref

import numpy as np

from tapeviz.engine import nest, random
from tapeviz.engine.logs import recording_into
from tapeviz.engine.recording import Noticing, current
from tapeviz.engine.setting import Setting
from tapeviz.engine.specs.dtypes import DType
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.engine.tensors.mutable import MutableTensor
from tapeviz.engine.tracing.building import building
from tapeviz.engine.values.constant import make
from tapeviz.engine.values.convert import unboxed
from tapeviz.errors import InvalidArgumentError, OpError
from tapeviz.events.log import EventLog

LENGTHS = (4, 6)
"""What unknown lengths are tried with: an axis of the result that differs between the two is unknown itself."""
SHORT = (0, 1)
"""What they are tried with then, as far as the function takes them: of a slice up to 2 there may be less."""
RANKS = (0, 1, 2, 3)
"""What unknown ranks are tried with, as far as the function takes them."""
_MISFITS = (OpError, ValueError, TypeError, LookupError, ArithmeticError, AssertionError)
"""What a function raises where a rank or a value does not fit; any other error is the function's own."""
_OF_RANK = (OpError, IndexError, AssertionError)
"""Those among them that a higher rank may avoid: at rank 4 there is an `x.shape[3]`."""
under_way: ContextVar[bool] = ContextVar("tapeviz.trial", default=False)
"""Whether a function is only tried: then Python functions that it wraps (`tf.py_function`) are not called."""

_rank: ContextVar[int | None] = ContextVar("tapeviz.trial.rank", default=None)
"""The rank that the results of Python functions have in this trial, if any is chosen."""
_length: ContextVar[int] = ContextVar("tapeviz.trial.length", default=LENGTHS[0])
"""How long their axes are."""

unseen: ContextVar[bool] = ContextVar("tapeviz.unseen", default=False)
"""Whether what runs is undone afterwards: then `tf.print`, which TensorFlow runs with the other ops, prints nothing."""


class OpenRank(Exception):
    """A trial met a Python function, which must not run for it and whose results may have any shape."""


def stand_ins(dtypes: Sequence[DType]) -> list[Any] | None:
    """In a trial, tensors in place of the results of a Python function, which may have side effects; None elsewhere.

    Raises:
        OpenRank: no rank is chosen for them yet.
    """
    if not under_way.get():
        return None
    rank = _rank.get()
    if rank is None:
        raise OpenRank
    return [of_spec(TensorSpec([None] * rank, dtype), _length.get(), np.ones) for dtype in dtypes]


def results_of(function: Callable[..., Any], specs: Any, by_values: bool = False) -> Any:
    """The specs, in a structure, of what a function returns for such values; None if `specs` is, or a trial fails.

    With `by_values` it is tried on other values, too: a length of the result that changes with them is unknown, and so
    is a length of 0, which may be that of what a condition leaves of a tensor.

    Raises:
        TypeError, ValueError: the shapes or dtypes do not fit in the function, as TensorFlow says while it traces it;
            any error of the function's own Python code.
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
        return None
    found = nest.map_structure(common, tries[0], tries[-1])
    if not known:
        found = _of_short(function, specs, found)
    return _by_values(function, specs, found) if by_values else found


def _misfit(error: ValueError) -> str:
    """What TensorFlow says of shapes that do not fit, without what is added here about their lengths."""
    cause = error.__cause__
    return getattr(cause, "while_building", None) or str(cause).split(". In ")[0]


def _at_ranks(results_at: Callable[[int], Any]) -> Any:
    """The specs of the results, where a rank is open.

    Raises:
        Exception: what the function says at every rank in the same words, so that no rank is to blame.
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
    """The specs of the results, open where a short input changes a length; a failure with those proves nothing."""
    for length in SHORT:
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
    """The specs of the results, open where other values change a length; a failure with those proves nothing."""
    try:
        other = _tried(function, specs, LENGTHS[0], True, fill=ramp)
        found = found if other is None else nest.map_structure(common, found, other)
    except _MISFITS:
        pass
    return nest.map_structure(_without_zeros, found)


def common(one: Any, other: Any) -> Any:
    """The narrowest spec that both fit."""
    if not isinstance(one, TensorSpec):
        return one.common(other)
    return TensorSpec(one.shape.most_specific_compatible_shape(other.shape), one.dtype)


def spec_of(value: Any) -> Any:
    """The spec of a leaf of an element: of a tensor, or of a dataset, which tells its own."""
    return value._type_spec if hasattr(value, "_type_spec") else TensorSpec.of(value)


def of_spec(spec: Any, length: int, fill: Callable[..., Any]) -> Any:
    """A value that fits a spec, open lengths being `length`; `fill` makes its numbers for a shape and a dtype."""
    if not isinstance(spec, TensorSpec):
        return spec.filled(length, fill)
    shape = [length if each is None else each for each in spec.shape]
    empty = spec.dtype.name == "string"
    return make(unboxed(np.full(shape, b"", object) if empty else fill(shape, spec.dtype.as_numpy_dtype)))


def ramp(shape: list[int], dtype: Any) -> Any:
    """2, 0, 1, 2, 0, 1 and so on, or False, True: a number alone is 2, as at 0 a loop of the function may never end."""
    return np.resize([False, True] if dtype == np.bool_ else [2, 0, 1], shape).astype(dtype)


def _without_zeros(spec: Any) -> Any:
    if not isinstance(spec, TensorSpec) or spec.shape.rank is None:
        return spec
    return TensorSpec([each or None for each in spec.shape], spec.dtype)


def _tried(function: Callable[..., Any], specs: Any, length: int, known: bool, fill: Any = np.ones) -> Any:
    """The specs of the results, where unknown lengths are `length`; None if it fails for these values.

    The error, unless all lengths are `known`, if it fails for these shapes.
    """
    values = nest.map_structure(lambda spec: of_spec(spec, length, fill), specs)
    try:
        with unnoticed(), building(values), Setting(_length, length):
            return nest.map_structure(spec_of, function(values))
    except InvalidArgumentError:
        return None
    except ValueError as error:
        if known or not isinstance(error.__cause__, InvalidArgumentError):
            raise
        return error


@contextmanager
def undone() -> Iterator[None]:
    """In the block, nothing is recorded and no random number used up; writes to variables are undone at its end."""
    now = current.get()
    before: dict[int, tuple[ref[MutableTensor], Any]] = {}  # which holds no variable that the block lets go

    def notice(tensor: Any) -> None:
        if isinstance(tensor, MutableTensor):
            before.setdefault(tensor._id, (ref(tensor), tensor._value))

    current.set(Noticing(recording_into(EventLog(values="none", max_bytes=0)), notice))
    try:
        with Setting(random.counting, False), Setting(unseen, True):
            yield
    finally:
        current.set(now)
        for kept, value in before.values():
            if (variable := kept()) is not None:
                variable._value = value


@contextmanager
def unnoticed() -> Iterator[None]:
    """In the block, everything is undone, and nothing is printed."""
    with Setting(under_way, True), undone(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        yield
