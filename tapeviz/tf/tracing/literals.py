"""The Python numbers among the arguments of a call -> those of the first call whose graph TensorFlow uses again.

TensorFlow compares Python values by `==`. So after `f(1)`, a call `f(1.0)` or `f(True)` runs the graph in which the
argument is the whole number 1.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from inspect import Parameter, Signature
from typing import Any

from tapeviz.engine import nest
from tapeviz.tf.tracing.trace_types import NUMBERS

_NO_NUMBERS = ()
"""What is kept of arguments without numbers."""


class FirstLiterals:
    """The numbers that a function was given first, for each kind of arguments."""

    def __init__(self) -> None:
        self._first: dict[Hashable, Any] = {}

    def in_place_of(self, given: Any, leaves: Sequence[Any], key: Hashable) -> Any:
        """A structure of arguments, with the numbers that were given first; `leaves` and `key` are those of it."""
        first = self._first.get(key)
        if first is None:
            numbers = nest.map_structure(lambda leaf: leaf if type(leaf) in NUMBERS else None, given)
            self._first[key] = numbers if any(type(each) in NUMBERS for each in leaves) else _NO_NUMBERS
            return given
        if first is _NO_NUMBERS:
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
    """The parameters whose defaults are numbers, with these."""
    taken = (each for each in signature.parameters.values() if each.kind is not Parameter.POSITIONAL_ONLY)
    return {each.name: each.default for each in taken if type(each.default) in NUMBERS}


def leave_out_defaults(arguments: dict[str, Any], defaults: dict[str, Any]) -> None:
    """Take the arguments away that are equal to the defaults of their parameters: the graph is the one without them."""
    for name, default in defaults.items():
        if name in arguments and type(arguments[name]) in NUMBERS and arguments[name] == default:
            del arguments[name]
