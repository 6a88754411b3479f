"""The Python numbers among the arguments of a call -> those of the first call whose graph TensorFlow uses again.

TensorFlow compares Python values by `==`. So after `f(1)`, a call `f(1.0)` or `f(True)` runs the graph in which the
argument is the whole number 1.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from inspect import Signature
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.tracing.trace_types import NUMBERS


class FirstLiterals:
    """The numbers that a function was given first, for each kind of arguments."""

    def __init__(self) -> None:
        self._first: dict[Hashable, Any] = {}

    def in_place_of(self, given: Any, leaves: Sequence[Any], key: Hashable) -> Any:
        """A structure of arguments, with the numbers that were given first; `leaves` and `key` are those of it."""
        first = self._first.get(key)
        if first is None:
            self._first[key] = nest.map_structure(lambda leaf: leaf if type(leaf) in NUMBERS else None, given)
            return given
        numbers = nest.flatten(first)
        if all(before is None or type(before) is type(now) for before, now in zip(numbers, leaves, strict=True)):
            return given
        try:
            nest.assert_same_structure(first, given)
        except (TypeError, ValueError):
            return given
        chosen = [now if before is None else before for before, now in zip(numbers, leaves, strict=True)]
        return nest.pack_sequence_as(given, chosen)


def number_defaults(signature: Signature) -> dict[str, Any]:
    """The parameters whose defaults are numbers, with these: a call may leave out an argument, or give its default."""
    return {name: each.default for name, each in signature.parameters.items() if type(each.default) in NUMBERS}
