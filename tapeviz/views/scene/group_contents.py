"""Reading -> what a folded group shows of its contents: flags, and a badge."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tapeviz.views.folding.fold import is_within
from tapeviz.views.reading import Reading
from tapeviz.views.scene.flags import Badge

WORST_FIRST = ("None", "cut", "NaN", "inf", "NaN gradient", "inf gradient", "zero gradient", "target")
"""Which badge a group shows of those inside it: by its word, or "cut" for that of any cut wire."""
FLAGS_OF_ANY = ("target", "source", "cut", "nan", "inf", "zero")
"""Flags that a group has if anything in it has them. "none" is not one: a gradient may pass through a group although a
source in it gets none."""
FLAGS_OF_ALL = ("dead", "skipped")
"""Flags that a group has only if all of its ops have them."""


@dataclass
class _Contents:
    """What is in one group: how often each flag, the first badge of each kind, and the tensors without a gradient."""

    flags: Counter[str] = field(default_factory=Counter)
    badges: dict[str, Badge] = field(default_factory=dict)
    lost: set[int | None] = field(default_factory=set)


class GroupContents:
    """What a folded group shows of the boxes inside it, such as that one of them has no gradient.

    A leaf that is read outside of a group, too, does not count: it is drawn beside the folded group.
    """

    def __init__(
        self,
        reading: Reading,
        boxes: Sequence[tuple[tuple[str, ...], Badge | None]],
        wires: Sequence[tuple[tuple[str, ...], str | None]],
    ) -> None:
        self._reading = reading
        self._spans = reading.groups.spans
        self._contents: defaultdict[int, _Contents] = defaultdict(_Contents)
        pairs = zip(reading.places, boxes, strict=True)
        alike = Counter((place.group, place.home, flags) for place, (flags, _) in pairs)
        for (inner, home, flags), times in alike.items():
            for group in self._around(inner, home):
                self._contents[group].flags.update(dict.fromkeys(flags, times))
        for index, (_, badge) in enumerate(boxes):
            if badge is None:
                continue
            for group in self._around_box(index):
                contents = self._contents[group]
                contents.badges.setdefault(badge.word, badge)
                if badge.claim == "None":
                    contents.lost.add(reading.sketch.boxes[index].tensor)
        for wire, (flags, word) in zip(reading.sketch.wires, wires, strict=True):
            if word and "cut" in flags:
                for group in set(self._around_box(wire.tail)).intersection(self._around_box(wire.head)):
                    self._contents[group].flags["cut"] += 1
                    self._contents[group].badges.setdefault("cut", Badge(word))

    def flags(self, group: int) -> tuple[str, ...]:
        """The flags of a group: those of anything in it, and those of all of it."""
        row, count = self._reading.groups.rows[group], self._contents[group].flags
        of_any = (flag for flag in FLAGS_OF_ANY if count[flag])
        of_all = (flag for flag in FLAGS_OF_ALL if count[flag] >= row.ops)
        return (*(("repeat",) if row.kind == "repeat" else ()), *of_any, *of_all)

    def badge(self, group: int) -> Badge | None:
        """The worst badge of anything in a group; where sources get no gradient, it says how many."""
        contents = self._contents[group]
        worst = next((contents.badges[kind] for kind in WORST_FIRST if kind in contents.badges), None)
        if worst is not None and worst.claim == "None":
            return worst._replace(word=f"{len(contents.lost)} None inside")
        return worst

    def _around_box(self, box: int) -> Iterator[int]:
        """The groups that hide a box when they are folded."""
        place = self._reading.places[box]
        return self._around(place.group, place.home)

    def _around(self, group: int, home: int) -> Iterator[int]:
        """The same of any box of a group and a home."""
        while group >= 0:
            if not is_within(self._spans, group, home):
                yield group
            group = self._spans[group].parent
