"""Two EventLogs -> what their programs do at each line, and what only one of them does."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

from tapeviz.diagnosis.comparing.align import align
from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.diagnosis.wording.places import words
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
)
from tapeviz.source.places import site_at, whole_line

DiffSign: TypeAlias = Literal["-", "+", "~"]
"""Only before, only after, or in both and written otherwise."""


class Action(NamedTuple):
    """One thing that the program did at a line of its own: an op, a watch, a read-out, a write, a leaf, a tape.

    `position` is that of its event, `tensors` are those that it made, changed or looked at.
    """

    what: str
    site: Site | None
    shapes: tuple[tuple[int, ...], ...]
    position: int
    tensors: tuple[int, ...]


@dataclass(frozen=True)
class Change:
    """An action that only one of the two programs does, so many `times`; or a line that became the one at `now`."""

    mark: DiffSign
    what: str
    site: Site | None
    times: int
    now: Site | None = None

    def __str__(self) -> str:
        times = f" ({self.times:,} times)" if self.times > 1 else ""
        text = "" if self.site is None else self.site.text
        became = "" if self.now is None else f"  →  {self.now.text}"
        return f"{self.mark} {words(self.site)}: {self.what}{times}:  {text}{became}"


def changes(before: EventLog, after: EventLog) -> tuple[int, list[Change]]:
    """How many actions both programs share, and those that they do not, line by line in order."""
    one, other = list(actions(before)), list(actions(after))
    pairs = align(one, other, KEYS)
    groups: defaultdict[Change, Counter[str]] = defaultdict(Counter)
    i = j = 0
    for at, other_at, level in (*pairs, (len(one), len(other), 0)):
        for each in one[i:at]:
            groups[Change("-", each.what, each.site, 1)][each.what] += 1
        for each in other[j:other_at]:
            groups[Change("+", each.what, each.site, 1)][each.what] += 1
        if level:
            mine, theirs = one[at], other[other_at]
            if mine.site is not None and theirs.site is not None and mine.site.text != theirs.site.text:
                groups[Change("~", "", whole_line(mine.site), 1, whole_line(theirs.site))][mine.what] += 1
        i, j = at + 1, other_at + 1
    found = [replace(each, what=", ".join(does), times=max(does.values())) for each, does in groups.items()]
    return len(pairs), found


def actions(log: EventLog) -> Iterator[Action]:
    """What happened outside backward passes, in order."""
    dialect = dialect_of(log)
    kinds = {"variable": dialect.say("variable"), "constant": dialect.say("constant")}
    for position, event in enumerate(log.events):
        match event:
            case OpRecorded() | OpSkipped():
                yield _action(log, position, dialect.op(event.op), event.outputs)
            case Watched(how="explicit", tensor=tensor):
                yield _action(log, position, "watch", (tensor,))
            case ReadOut(tensor=tensor, how=how) | StateWritten(tensor=tensor, how=how):
                yield _action(log, position, how, (tensor,))
            case LeafCreated(tensor=tensor, kind=kind):
                yield _action(log, position, kinds.get(kind, kind), (tensor,))
            case TapeOpened() if not log.facts.records_always:  # else no line of the user's opens one
                yield _action(log, position, "tape", ())
            case RecordingPaused():
                yield _action(log, position, dialect.say("off"), ())


def _action(log: EventLog, position: int, what: str, tensors: tuple[int, ...]) -> Action:
    shapes = tuple(log.tensors[each].shape for each in tensors)
    return Action(what, site_at(log, position), shapes, position, tensors)


def as_written(action: Action) -> Hashable:
    return action.what, action.shapes, None if action.site is None else (action.site.text, action.site.function)


def in_kind(action: Action) -> Hashable:
    return action.what, action.shapes


KEYS = (as_written, in_kind)
"""By the line as well, then by what is done alone."""
