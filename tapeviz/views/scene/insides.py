"""Reading -> what a folded group shows of its contents: flags, and one word."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from tapeviz.views.folding.fold import is_within
from tapeviz.views.reading import Reading

_WORST_FIRST = ("None", "cut", "NaN", "inf", "NaN gradient", "inf gradient", "zero gradient", "target")
_ANY = ("target", "source", "cut", "nan", "inf", "zero")
_ALL = ("dead", "skipped")


FlagsAndWord: TypeAlias = tuple[tuple[str, ...], str | None]
"""The flags of a box or of a wire, and its word."""


class Insides:
    """Flags and words of the groups of one reading. A leaf that is shared with the world outside does not count:
    it stands beside a folded group."""

    def __init__(self, reading: Reading, boxes: Sequence[FlagsAndWord], wires: Sequence[FlagsAndWord]) -> None:
        self._reading = reading
        self._spans = reading.groups.spans
        self._flags: defaultdict[int, Counter[str]] = defaultdict(Counter)
        self._lost: defaultdict[int, set[int | None]] = defaultdict(set)
        self._words: defaultdict[int, dict[str, str]] = defaultdict(dict)
        for index, (flags, word) in enumerate(boxes):
            for group in self._around(index):
                self._flags[group].update(flags)
                if word == "None":
                    self._lost[group].add(reading.sketch.boxes[index].tensor)
                if word:
                    self._words[group].setdefault(word, word)
        for wire, (flags, word) in zip(reading.sketch.wires, wires, strict=True):
            if word and "cut" in flags:
                for group in set(self._around(wire.tail)).intersection(self._around(wire.head)):
                    self._flags[group]["cut"] += 1
                    self._words[group].setdefault("cut", word)

    def flags(self, group: int) -> tuple[str, ...]:
        """The flags of anything in the group; it is dead or skipped only if all of its ops are.

        "none" is left out: a gradient may pass the group, although a source in it gets none.
        """
        row, found = self._reading.groups.rows[group], self._flags[group]
        kinds = ("repeat",) if row.kind == "repeat" else ()
        return (*kinds, *(flag for flag in _ANY if found[flag]), *(flag for flag in _ALL if found[flag] >= row.ops))

    def word(self, group: int) -> str | None:
        """The worst word of anything in the group; of sources without a gradient, with their number."""
        words = self._words[group]
        worst = next((words[each] for each in _WORST_FIRST if each in words), None)
        lost = len(self._lost[group])
        return f"{lost} None inside" if worst == "None" else worst

    def _around(self, box: int) -> Iterator[int]:
        """The groups that hide a box when they are folded."""
        group, home, _ = self._reading.places[box]
        while group >= 0:
            if not is_within(self._spans, group, home):
                yield group
            group = self._spans[group].parent
