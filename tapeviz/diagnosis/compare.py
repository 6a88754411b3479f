"""Two EventLogs -> Comparison: what a program does otherwise than another, and what that changed in the gradients."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from tapeviz.diagnosis.align import align
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.table import Cell, table
from tapeviz.diagnosis.wording.places import site_at, words
from tapeviz.events import (
    EventLog,
    LeafCreated,
    OpRecorded,
    OpSkipped,
    ReadOut,
    RecordingPaused,
    Site,
    StateWritten,
    TapeOpened,
    Watched,
    log_of,
)
from tapeviz.events.summary import elements_of
from tapeviz.markup.card import stacked
from tapeviz.markup.offline import reading_page
from tapeviz.markup.table import sections
from tapeviz.markup.theme import Tone
from tapeviz.phrases import counted

Mark: TypeAlias = Literal["-", "+", "~"]
"""Only before, only after, or in both and written otherwise."""

SAME = 1e-6
"""Relative difference of gradients up to which they are the same."""

MOST = 12
"""Changes of one kind that are shown; of more, the others are counted."""


class Act(NamedTuple):
    """One thing that the program did at a line of its own: an op, a watch, a read-out, a write, a leaf, a tape."""

    position: int
    what: str
    site: Site | None
    shapes: tuple[tuple[int, ...], ...]
    outputs: tuple[int, ...]


@dataclass(frozen=True)
class Change:
    """An act that only one of the two programs does, so many `times`; or a line that became another, at `now`."""

    mark: Mark
    what: str
    site: Site | None
    times: int
    now: Site | None = None

    def __str__(self) -> str:
        times = f" ({self.times:,} times)" if self.times > 1 else ""
        text = "" if self.site is None else self.site.text
        became = "" if self.now is None else f"  →  {self.now.text}"
        return f"{self.mark} {words(self.site)}: {self.what}{times}:  {text}{became}"


@dataclass(frozen=True)
class GradientChange:
    """What the gradient of one target by one source was before, and is after; a side is None where it was not asked."""

    target: str
    source: str
    before: str | None
    after: str | None
    same: bool

    def __str__(self) -> str:
        now = "the same" if self.same else f"{self.before or 'not asked'} → {self.after or 'not asked'}"
        return f"{self.target} by {self.source}: {f'{self.after}, ' if self.same else ''}{now}"


class Comparison:
    """Two recordings side by side.

    `alike` counts the acts that both share, `changes` are those that they do not, in program order; `differs_at` is the
    line from which on values differ, None where none does; `gradients` has one entry per target and source; `gone` and
    `new` are findings that only the first, and only the second, recording has.
    """

    def __init__(self, before: EventLog, after: EventLog) -> None:
        one, other = list(_acts(before)), list(_acts(after))
        pairs = align(one, other, KEYS)
        self.alike = len(pairs)
        self.changes = _changes(one, other, pairs)
        self.differs_at = _parting(before, after, [(one[i], other[j]) for i, j, _ in pairs])
        cells = [list(_cells(each)) for each in (before, after)]
        self.gradients = list(_gradient_changes(before, after, *cells))
        self.gone, self.new = _only_in(cells[0], cells[1]), _only_in(cells[1], cells[0])

    def __str__(self) -> str:
        return "\n".join("\n  ".join((title, *lines)) for title, lines in self._sections())

    __repr__ = __str__

    def _sections(self) -> Iterator[tuple[str, list[str]]]:
        differing = sum(each.times for each in self.changes if each.mark != "~")
        yield f"{counted(self.alike, 'event')} alike, {differing:,} not", _few([str(each) for each in self.changes])
        at = self.differs_at
        yield "no value differs in those alike" if at is None else f"values first differ at {words(at)}:  {at.text}", []
        yield "gradients" if self.gradients else "no gradient was taken", _few([str(each) for each in self.gradients])
        for title, findings in (("solved", self.gone), ("new", self.new)):
            if findings:
                yield title, _few([f"{each.title} ({words(each.site)}) [{each.cause}]" for each in findings])

    def _repr_html_(self) -> str:
        told = ((title, [(each, _TONES.get(each[0], "")) for each in lines]) for title, lines in self._sections())
        return sections(told) + stacked([each._repr_html_() for each in self.new], "`.new` has them all")

    def html(self) -> str:
        """The comparison as a page of its own, with nothing to load."""
        return reading_page("Two recordings", self._repr_html_())


_TONES: dict[str, Tone] = {"~": "warning", "-": "error", "+": "better"}


def compare(before: Any, after: Any) -> Comparison:
    """Compare two recordings of a program, as of the broken and the fixed one: what changed, and in which gradients.

    What the two do is matched by line, op and shapes; names of targets and sources pair their gradients.

    Args:
        before: a log, or anything with `.log`.
        after: likewise.

    >>> import tapeviz as tv
    >>> def train(step):
    ...     w = tv.Variable(2.0, name="w")
    ...     with tv.GradientTape() as tape:
    ...         loss = step(w * 3.0)
    ...     tape.gradient(loss, w)
    ...     return tape
    >>> found = compare(train(tv.round), train(tv.sin))
    >>> print(found.gradients[0])
    loss by w: None [nondifferentiable_op] → 2.881
    >>> [change.mark + change.what for change in found.changes]
    ['-round', '+sin']
    """
    return Comparison(log_of(before), log_of(after))


# ----- what the programs do -----


def _acts(log: EventLog) -> Iterator[Act]:
    """What happened outside backward passes, in order."""
    shapes = [row.shape for row in log.tensors]
    for position, event in enumerate(log.events):
        match event:
            case OpRecorded() | OpSkipped():
                yield Act(position, event.op, site_at(log, position), _of(shapes, event.outputs), event.outputs)
            case Watched(how="explicit", tensor=tensor):
                yield Act(position, "watch", site_at(log, position), _of(shapes, (tensor,)), ())
            case ReadOut(tensor=tensor, how=how):
                yield Act(position, how, site_at(log, position), _of(shapes, (tensor,)), ())
            case StateWritten(tensor=tensor, how=how):
                yield Act(position, how, site_at(log, position), _of(shapes, (tensor,)), ())
            case LeafCreated(tensor=tensor, kind=kind):
                yield Act(position, kind, site_at(log, position), _of(shapes, (tensor,)), (tensor,))
            case TapeOpened() | RecordingPaused():
                what = "tape" if isinstance(event, TapeOpened) else "stop_recording"
                yield Act(position, what, site_at(log, position), (), ())


def _of(shapes: Sequence[tuple[int, ...]], tensors: Iterable[int]) -> tuple[tuple[int, ...], ...]:
    return tuple(shapes[each] for each in tensors)


def _as_written(act: Act) -> Hashable:
    return act.what, act.shapes, None if act.site is None else (act.site.text, act.site.function)


def _in_kind(act: Act) -> Hashable:
    return act.what, act.shapes


KEYS = (_as_written, _in_kind)
"""By the line as well, then by what is done alone."""


def _changes(one: list[Act], other: list[Act], pairs: list[tuple[int, int, int]]) -> list[Change]:
    """What only one side does, and the lines that are written otherwise; those of one line together, in order."""
    counts: Counter[Change] = Counter()
    i = j = 0
    for at, other_at, level in (*pairs, (len(one), len(other), 0)):
        counts.update(Change("-", each.what, each.site, 1) for each in one[i:at])
        counts.update(Change("+", each.what, each.site, 1) for each in other[j:other_at])
        if level:
            mine, theirs = one[at], other[other_at]
            if mine.site is not None and theirs.site is not None and mine.site.text != theirs.site.text:
                counts[Change("~", mine.what, mine.site, 1, theirs.site)] += 1
        i, j = at + 1, other_at + 1
    return [replace(change, times=times) for change, times in counts.items()]


def _parting(before: EventLog, after: EventLog, pairs: Iterable[tuple[Act, Act]]) -> Site | None:
    """The line of the first matched act that computes something else."""
    for one, other in pairs:
        for mine, theirs in zip(one.outputs, other.outputs, strict=False):
            values = before.value(mine, one.position), after.value(theirs, other.position)
            if _differ(*map(elements_of, values)):
                return other.site
    return None


def _differ(one: np.ndarray[Any, Any] | None, other: np.ndarray[Any, Any] | None) -> bool:
    """Whether two arrays are both known, and not the same."""
    if one is None or other is None:
        return False
    if one.shape != other.shape or one.dtype.kind not in "fciub" or other.dtype.kind not in "fciub":
        return bool(one.shape != other.shape)
    return not bool(np.allclose(one, other, rtol=SAME, atol=0.0, equal_nan=True))


# ----- what came of it -----


def _cells(log: EventLog) -> Iterator[tuple[tuple[str, str, int], Cell]]:
    """The cells of a log's table by target and source; of several of the same names, by their order."""
    seen: Counter[tuple[str, str]] = Counter()
    for row in table(log):
        for cell in row:
            names = (cell.target, cell.source)
            yield (*names, seen[names]), cell
            seen[names] += 1


def _gradient_changes(
    before: EventLog,
    after: EventLog,
    one: list[tuple[tuple[str, str, int], Cell]],
    other: list[tuple[tuple[str, str, int], Cell]],
) -> Iterator[GradientChange]:
    mine, theirs = dict(one), dict(other)
    for key in dict.fromkeys((*mine, *theirs)):
        was, now = mine.get(key), theirs.get(key)
        if {each.state for each in (was, now) if each is not None} <= {"apart"}:
            continue
        same = was is not None and now is not None and was.state == now.state and _equal(before, after, was, now)
        yield GradientChange(key[0], key[1], _told(was), _told(now), same)


def _equal(before: EventLog, after: EventLog, was: Cell, now: Cell) -> bool:
    one, other = (
        None if cell.gradient is None else elements_of(log.value(cell.gradient))
        for log, cell in ((before, was), (after, now))
    )
    return was.norm == now.norm if one is None or other is None else not _differ(one, other)


def _told(cell: Cell | None) -> str | None:
    """What arrived, in a word."""
    if cell is None:
        return None
    cause = "" if cell.finding is None else f" [{cell.finding.cause}]"
    return (cell.arrived or {"reaches": "reaches", "apart": "no path"}[cell.state]) + cause


def _only_in(mine: list[tuple[Any, Cell]], theirs: list[tuple[Any, Cell]]) -> list[Finding]:
    """The findings of one side that the other has not: of the same cause about the same target and source."""
    known = {(key, cell.finding.cause) for key, cell in theirs if cell.finding is not None}
    found = [(key, cell.finding) for key, cell in mine if cell.finding is not None]
    own = [each for key, each in found if (key, each.cause) not in known]
    return list({(each.cause, each.site): each for each in own}.values())


def _few(lines: list[str]) -> list[str]:
    return lines if len(lines) <= MOST else [*lines[:MOST], f"… and {len(lines) - MOST} more"]
