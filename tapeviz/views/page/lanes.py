"""Shared -> the ranks as lanes, one below the other, from their first op to their last: where each stands out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby

from tapeviz.diagnosis.ranks.crossings import crossings
from tapeviz.diagnosis.ranks.shared import Shared
from tapeviz.markup import theme
from tapeviz.phrases import counted

MOST_LANES = 64
"""Ranks that have a lane, those that stand out first; of more, the others are counted."""
HEIGHT, LEAST, MOST = 192.0, 3.0, 16.0
"""How high all lanes are together, in px, and the least and the most that one is."""
LETTERS = 12.0
"""How high a name is."""
START = 6.0
"""Where lanes begin, in percent of the width; their names come before."""
NARROWEST = 0.3
"""The least width of a mark, in percent."""
COLUMN_WIDTH = 0.5
"""How far groups that meet at one place are beside each other, in percent."""
INSET = 0.2
"""How far the line of some ranks stays away from the lanes beside theirs, as a part of a lane."""
DOT = 3
"""The radius of what marks a lane whose rank meets others, in px."""
MARKS = {"otherwise": "done otherwise", "far": "far off"}
"""What is marked on a lane, in words."""
STYLE = f"""
#lanes {{ {theme.css_variables("light")}; margin: 0; padding: 0 16px 4px; color: var(--tv-ink); font-size: 12px }}
body[data-theme="dark"] #lanes {{ {theme.css_variables("dark")} }}
#lanes svg {{ display: block; width: 100%; overflow: visible }}
#lanes text {{ fill: currentColor; dominant-baseline: central }}
#lanes line {{ stroke: var(--tv-op-line) }}
#lanes .meets {{ stroke: var(--tv-gradient); stroke-width: 2px }}
#lanes circle {{ fill: var(--tv-gradient) }}
#lanes .otherwise {{ fill: var(--tv-cut) }}
#lanes .far {{ fill: var(--tv-warning-soft); stroke: var(--tv-warning) }}
#lanes .key {{ display: inline-block; width: 14px; height: 10px; margin: 0 4px 0 14px; vertical-align: baseline }}
@media (forced-colors: active) {{
  #lanes {{ --tv-cut: Highlight; --tv-warning: CanvasText; --tv-warning-soft: Canvas }}
  #lanes {{ --tv-ink: CanvasText; --tv-op-line: GrayText; --tv-gradient: CanvasText }}
  #lanes svg {{ forced-color-adjust: none }}
}}
"""


def lanes(shared: Shared) -> str:
    """A figure in HTML, which needs the STYLE."""
    drawn = _Lanes(shared)
    count = len(drawn.ranks)
    height = min(max(HEIGHT / count, LEAST), MOST)
    step = -(-LETTERS // height)  # a name for so many lanes
    rows = [row for number, rank in enumerate(drawn.ranks) for row in drawn.lane(rank, number * height, height)]
    names = [
        f'<text x="0" y="{(number + 0.5) * height:.1f}">rank {rank}</text>'
        for number, rank in enumerate(drawn.ranks)
        if number % step == 0
    ]
    meets = drawn.meetings(height)
    label = f"{counted(count, 'rank')}, op by op: {'; '.join(drawn.standing_out()) or 'none stands out'}"
    more = f"; {counted(drawn.left, 'more rank')} like the others" if drawn.left else ""
    caption = (
        "Each rank from its first op to its last; what several compute together crosses their lanes, and what one "
        f"sends leads to another{more}."
    )
    return (
        f'<figure id="lanes"><svg role="img" aria-label="{escape(label)}" height="{count * height + 4:.0f}">'
        f"{''.join([*meets, *rows, *names])}</svg><figcaption>{caption}{''.join(drawn.key())}</figcaption></figure>"
    )


class _Lanes:
    """Which ops of which ranks are marked, and how."""

    def __init__(self, shared: Shared) -> None:
        self._ops = shared.base.ops
        self._crossings = crossings(shared)
        self._counterparts = {each.log.rank: each for each in shared.counterparts}
        self._own_order: dict[int, dict[int, int]] = {}
        self._order = {position: index for index, position in enumerate(self._ops)}
        self._ends = {each.log.rank: each.end for each in shared.counterparts if each.is_alike}
        self._marked: defaultdict[int, dict[int, tuple[str, str]]] = defaultdict(dict)  # rank -> op -> kind and words
        readers = {tensor: index for index, op in reversed([*enumerate(self._ops.values())]) for tensor in op.inputs}
        last = max(0, len(self._ops) - 1)
        places = [
            *((readers.get(tensor, last), found) for tensor, found in shared.leaves.items()),
            *((self._order[position], found) for position, found in shared.ops.items()),
        ]
        for index, found in places:
            for rank in found.ranks if found.kind in MARKS else ():
                self._marked[rank][index] = found.kind, found.text
        order = sorted(self._counterparts, key=lambda rank: (rank not in self._marked, rank))
        self.ranks = sorted(order[:MOST_LANES])
        self.left = len(order) - len(self.ranks)

    def lane(self, rank: int, top: float, height: float) -> Iterator[str]:
        """One rank."""
        middle = top + height / 2
        ended = self._order.get(self._ends.get(rank, -1), len(self._ops))
        yield f'<line x1="{START}%" x2="{self._x(ended)}" y1="{middle:.1f}" y2="{middle:.1f}"/>'
        for first, after, kind, text in _runs(sorted(self._marked[rank].items())):
            width = max(NARROWEST, (after - first) * (100 - START) / max(1, len(self._ops)))
            yield (
                f'<rect class="{kind}" x="{self._x(first)}" width="{width:.2f}%" y="{top + height * 0.1:.1f}" '
                f'height="{height * 0.8:.1f}"><title>{escape(text)}</title></rect>'
            )

    def meetings(self, height: float) -> Iterator[str]:
        """Where ranks meet: a line from the first of them to the last, with a dot on the lane of each if it crosses
        lanes of others. Groups that meet at one place, as those of a mesh, stand beside each other where they overlap.
        """
        rows = {rank: number for number, rank in enumerate(self.ranks)}
        seen: set[str] = set()
        free: defaultdict[float, list[int]] = defaultdict(list)  # at a place, to which lane each column of it is taken
        for each in self._crossings:
            there = sorted((rows[rank], self._at(rank, at)) for rank, at in each.positions.items() if rank in rows)
            if len(there) < 2:
                continue
            (first, left), *between, (last, right) = there
            if left == right:
                left = right = left + COLUMN_WIDTH * _column(free[left], first, last)
            # From the edges of their lanes, if they are not all; what is sent leads from a middle to a middle.
            inset = 0.5 if left != right else INSET if len(there) < len(rows) else 0.0
            ends = (first + inset) * height, (last + 1 - inset) * height
            line = f'x1="{left:.2f}%" x2="{right:.2f}%" y1="{ends[0]:.1f}" y2="{ends[1]:.1f}"'
            if line not in seen:
                seen.add(line)
                yield f'<line class="meets" {line}><title>{escape(each.op)}</title></line>'
                for row in (row for row, _ in there if len(between) + 1 < last - first):
                    yield f'<circle cx="{left:.2f}%" cy="{(row + 0.5) * height:.1f}" r="{DOT}"/>'

    def _at(self, rank: int, position: int) -> float:
        """Where an op of a rank is: below that of the base that it stands for, or how far on in its own log."""
        counterpart = self._counterparts[rank]
        there = counterpart.places.get(position) if rank in self._ends else None
        if there is not None:
            return self._place(self._order[there], len(self._ops))
        if rank not in self._own_order:
            self._own_order[rank] = {each: index for index, each in enumerate(counterpart.log.ops)}
        own = self._own_order[rank]
        return self._place(own[position], len(own))

    def standing_out(self) -> Iterator[str]:
        """What stands out, in words, each once."""
        marks = (each for rank in self.ranks for each in self._marked[rank].values())
        yield from dict.fromkeys(text for _, text in marks)

    def key(self) -> Iterator[str]:
        """What the marks say."""
        kinds = {kind for marks in self._marked.values() for kind, _ in marks.values()}
        for kind, words in MARKS.items():
            if kind in kinds:
                yield f'<svg class="key"><rect class="{kind}" width="100%" height="100%"/></svg>{words}'

    def _x(self, index: int) -> str:
        return f"{self._place(index, len(self._ops)):.2f}%"

    @staticmethod
    def _place(index: int, count: int) -> float:
        return START + (100 - START) * index / max(1, count)


def _column(taken: list[int], first: int, last: int) -> int:
    """The first column that is free from a lane to another one, which take it."""
    column = next((number for number, end in enumerate(taken) if end < first), len(taken))
    taken[column : column + 1] = [last]
    return column


def _runs(marks: Iterable[tuple[int, tuple[str, str]]]) -> Iterator[tuple[int, int, str, str]]:
    """Marks one after the other that are of one kind, as one: where it begins and ends, its kind, the first's words."""
    for (_, kind), some in groupby(enumerate(marks), key=lambda each: (each[1][0] - each[0], each[1][1][0])):
        run: Sequence[tuple[int, tuple[str, str]]] = [mark for _, mark in some]
        yield run[0][0], run[-1][0] + 1, kind, run[0][1][1]
