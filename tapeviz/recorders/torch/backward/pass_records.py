"""The steps that are foreseen of a run -> the records of one such run, of which most is the same in all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

from tapeviz.events.raw import INPUTS, OUTPUTS, STRIDE, VALUES


class PassStep(NamedTuple):
    """A record of the run to come, without its numbers.

    Attributes:
        kind: the VJP of an op, or the sum of contributions.
        tensors: the result or results of the op, or the tensor that the sum is of, as places among those of the graph.
        values: of a VJP, per input None or a place among the plan's values; of a sum its place, or True if it is one
            that nothing sees.
        marks: the same with True for each value, as where none are kept.
    """

    kind: type
    tensors: Any
    values: Any
    marks: Any


class PassRecords:
    """The records of some steps; what differs from run to run is put into them without a line of Python for each."""

    def __init__(self, steps: Iterable[Sequence[PassStep]], values: int) -> None:
        """`values` is how many the plan has, of which the steps name the places."""
        flat = [*chain.from_iterable(steps)]
        self._rows = [
            entry for each in flat for entry in (each.kind, None, None, each.marks, None, (), (), None, None, -1)
        ]
        self._tensors = [_picker(each.tensors, {}) for each in flat]
        self._values = [_picker(each.values, {None: values, True: values + 1}) for each in flat]

    def of(self, run: int, ids: list[int], values: Sequence[Any]) -> list[Any]:
        """Those of the run with this number, on tensors with these raw ids; with no values, none is kept."""
        rows = self._rows.copy()
        rows[INPUTS::STRIDE] = [run] * len(self._tensors)
        known = tuple(ids)
        rows[OUTPUTS::STRIDE] = [pick(known) for pick in self._tensors]
        if values:
            found = *values, None, True
            rows[VALUES::STRIDE] = [pick(found) for pick in self._values]
        return rows


def _picker(places: Any, others: dict[Any, int]) -> Callable[[tuple[Any, ...]], Any]:
    """What takes the entry at a place from a tuple, or a tuple of those at several; `others` are places by a mark.

    >>> _picker(1, {})("abc"), _picker((2,), {})(("a", "b", "c")), _picker((0, None), {None: 2})("abc")
    ('b', ('c',), ('a', 'c'))
    """
    if type(places) is not tuple:
        return itemgetter(_place(places, others))
    wanted = [_place(each, others) for each in places]
    if len(wanted) == 1:
        return itemgetter(slice(wanted[0], wanted[0] + 1))
    return itemgetter(*wanted) if wanted else itemgetter(slice(0))


def _place(place: Any, others: dict[Any, int]) -> int:
    """A place, or that of a mark."""
    return place if type(place) is int else others[place]
