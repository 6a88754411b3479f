"""Two EventLogs -> Comparison: what one program does differently, and how that changes the gradients."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from tapeviz.diagnosis.comparing.actions import changes
from tapeviz.diagnosis.comparing.divergence import divergence
from tapeviz.diagnosis.comparing.gradients import GradientComparison
from tapeviz.diagnosis.comparing.matching import Match, matches
from tapeviz.diagnosis.comparing.tolerance import Tolerance
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import EventLog
from tapeviz.graph import build
from tapeviz.markup.card import stacked
from tapeviz.markup.table import sections
from tapeviz.markup.theme import Tone
from tapeviz.phrases import counted, few

MOST = 12
"""Changes of one kind that are shown; of more, the others are counted."""


class Comparison:
    """What two recordings do differently, and how that changes their gradients.

    `alike` counts the actions that both share, `changes` are those that they do not, in program order: two frameworks
    share none. `divergence` are the steps of both from which on values differ, none where the targets are the same,
    None where values were not kept; `gradients` has one entry per target and source, what changed first; `gone` and
    `new` are findings that only the first, and only the second, recording has.
    """

    def __init__(self, before: EventLog, after: EventLog) -> None:
        self._tolerance = tolerance = Tolerance(ported=before.facts != after.facts)
        self._graphs = build(before), build(after)
        self.alike, self.changes = (0, []) if tolerance.ported else changes(before, after)
        self.divergence = divergence(*self._graphs, tolerance)
        gradients = GradientComparison(before, after, tolerance)
        self.gradients, self.gone, self.new = gradients.changes(), gradients.solved(), gradients.new()

    def __str__(self) -> str:
        return "\n".join("\n  ".join((title, *lines)) for title, lines in self._sections())

    __repr__ = __str__

    @property
    def logs(self) -> tuple[EventLog, EventLog]:
        """Both recordings."""
        one, other = self._graphs
        return one.log, other.log

    @property
    def sides(self) -> tuple[str, str]:
        """What the two are called."""
        one, other = (log.facts.framework for log in self.logs)
        return (one, other) if self._tolerance.ported else ("Before", "After")

    @cached_property
    def counterparts(self) -> list[Match]:
        """What both programs made, in order, and which of one is which of the other."""
        return matches(*self._graphs, self._tolerance, self.divergence or ())

    def _sections(self) -> Iterator[tuple[str, list[str]]]:
        if self._tolerance.ported:
            yield " and ".join(self.sides), []
        else:
            differing = sum(each.times for each in self.changes if each.mark != "~")
            yield (
                f"{counted(self.alike, 'event')} alike, {differing:,} not",
                few([str(each) for each in self.changes], MOST),
            )
        steps = list(dict.fromkeys(map(str, self.divergence or ())))
        results = "no results were kept to compare" if self.divergence is None else "the same results"
        yield "values first differ at" if steps else results, steps
        yield (
            "gradients" if self.gradients else "no gradient was taken",
            few([str(each) for each in self.gradients], MOST),
        )
        for title, findings in (("solved", self.gone), ("new", self.new)):
            if findings:
                yield title, few([f"{each.title} ({words(each.site)}) [{each.cause}]" for each in findings], MOST)

    def _repr_html_(self) -> str:
        told = ((title, [(each, _TONES.get(each[0], "")) for each in lines]) for title, lines in self._sections())
        return sections(told) + stacked([each._repr_html_() for each in self.new], "`.new` has them all")


_TONES: dict[str, Tone] = {"~": "warning", "-": "error", "+": "better"}
