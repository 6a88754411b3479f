"""A table of a framework's ops, as text -> the catalog's op of each, and what goes into it.

A line reads `theirs ours word ... | word ...`: the framework's name, the catalog's, and a word for each input in the
framework's order. A plain word is an operand, `word:` an attribute of that name, `word:other` one that the catalog
calls `other`, and `word*` stands for any number of operands. Behind the bar, likewise, are attributes that the
framework keeps beside the inputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tapeviz.events import catalog


class Word(NamedTuple):
    """One input: by the framework's name, and as which attribute of the catalog's op; None of an operand."""

    own: str
    attribute: str | None
    is_open: bool


@dataclass(frozen=True, slots=True)
class OpSignature:
    """An op by the catalog's name; its inputs in the framework's order; its settings, by their two names."""

    name: str
    inputs: tuple[Word, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()

    def words(self, count: int) -> list[Word]:
        """A word for each of so many inputs: one with a star is repeated, and inputs beyond have none.

        >>> [word.own for word in signatures("ConcatV2 concat values* axis:")["ConcatV2"].words(3)]
        ['values', 'values', 'axis']
        """
        found: list[Word] = []
        for word in self.inputs:
            found += [word] * (count - len(self.inputs) + 1 if word.is_open else 1)
        return found[:count]


def signatures(text: str) -> dict[str, OpSignature]:
    """Every row of a table, by the framework's name.

    >>> signatures("Sum reduce_sum x axis: | keep_dims:keepdims")["Sum"].settings
    (('keep_dims', 'keepdims'),)
    """
    found: dict[str, OpSignature] = {}
    for line in text.strip().splitlines():
        before, _, behind = line.partition("|")
        own, name, *inputs = before.split()
        settings = tuple((word.own, word.attribute or word.own) for word in map(_word, behind.split()))
        found[own] = OpSignature(name, tuple(map(_word, inputs)), settings)
    return found


def signatures_of(named: Mapping[str, Iterable[str]]) -> dict[str, OpSignature]:
    """The same for the ops of the catalog, by whose names a framework's ops are given, with or without their inputs.

    >>> signatures_of({"neg": ["Neg", "Negated y"]})["Neg"]
    OpSignature(name='neg', inputs=(Word(own='x', attribute=None, is_open=False),), settings=())
    """
    lines = []
    for name, theirs in named.items():
        for own, _, inputs in (each.partition(" ") for each in theirs):
            lines.append(f"{own} {name} {inputs or ' '.join(catalog.ROWS[name].arguments)}")
    return signatures("\n".join(lines))


def in_catalogs_order(name: str, operands: Sequence[str]) -> list[int]:
    """The indices of operands, which are called as in the catalog, in the order of its arguments of an op.

    >>> in_catalogs_order("where", ["condition", "y", "x"])
    [0, 2, 1]
    """
    row = catalog.row(name)
    known = row.arguments if row is not None else ()
    return sorted(range(len(operands)), key=lambda at: known.index(operands[at]) if operands[at] in known else 0)


def _word(text: str) -> Word:
    own, colon, other = text.removesuffix("*").partition(":")
    return Word(own, (other or own) if colon else None, is_open=text.endswith("*"))
