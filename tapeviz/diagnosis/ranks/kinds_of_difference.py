"""What ranks have of one thing -> Difference: how they differ in it, in a few words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias, get_args

from tapeviz.events.store.ranks import ranks_in_words
from tapeviz.phrases import counted

Kind: TypeAlias = Literal["otherwise", "far", "ended", "spread", "same"]
"""How ranks differ, the most striking first: in what they do; in a number that is far from all others, or is due to be
the same; in that the logs of some had ended; in their numbers, as of other data; not at all."""
NEAR = 1e-5
"""The relative distance up to which norms are told as the same."""
MOST_NAMED = 2
"""Ranks that are named in a few words; of more, it is said how many."""


class Difference(NamedTuple):
    """How the ranks differ in one thing.

    Attributes:
        kind: in which way.
        ranks: those that are set off; none where all have numbers of their own, or the same.
        text: in a few words.
        level: how far the least of their numbers is below the greatest, as a part of this.
    """

    kind: Kind
    ranks: tuple[int, ...]
    text: str
    level: float = 0.0


def worst(differences: Iterable[Difference | None]) -> Difference | None:
    """The most striking one; None of none."""
    return min((each for each in differences if each), key=lambda each: _KINDS.index(each.kind), default=None)


_KINDS = get_args(Kind)


def in_numbers(least: float, greatest: float, what: str = "") -> Difference:
    """The difference of ranks that have numbers of their own, none of which stands out.

    >>> in_numbers(1.0, 2.0, "∇ ")
    Difference(kind='spread', ranks=(), text='∇ 1 – 2', level=0.5)
    >>> in_numbers(2.0, 2.0).text
    'the same'
    """
    if greatest - least <= NEAR * greatest:
        return Difference("same", (), "the same")
    return Difference("spread", (), f"{what}{least:.4g} – {greatest:.4g}", 1.0 - least / greatest)


def few(ranks: Sequence[int]) -> str:
    """Some ranks, in as little room as there is in a box.

    >>> few([3]), few([3, 5]), few([3, 5, 7])
    ('rank 3', 'ranks 3 and 5', '3 ranks')
    """
    return ranks_in_words(ranks) if len(ranks) <= MOST_NAMED else counted(len(ranks), "rank")
