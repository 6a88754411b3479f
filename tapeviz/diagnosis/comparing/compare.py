"""Two EventLogs -> Comparison: what a program does otherwise than another, and what that changed in the gradients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tapeviz.diagnosis.comparing.acts import changes
from tapeviz.diagnosis.comparing.gradients import Gradients
from tapeviz.diagnosis.comparing.likeness import Likeness
from tapeviz.diagnosis.comparing.parting import parting
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import EventLog, log_of
from tapeviz.graph import build
from tapeviz.markup.card import stacked
from tapeviz.markup.offline import reading_page
from tapeviz.markup.table import sections
from tapeviz.markup.theme import Tone
from tapeviz.phrases import counted

MOST = 12
"""Changes of one kind that are shown; of more, the others are counted."""


class Comparison:
    """Two recordings side by side.

    `alike` counts the acts that both share, `changes` are those that they do not, in program order: two frameworks
    share none. `parting` are the steps of both from which on values differ, none where the targets are the same, None
    where values were not kept; `gradients` has one entry per target and source, what changed first; `gone` and `new`
    are findings that only the first, and only the second, recording has.
    """

    def __init__(self, before: EventLog, after: EventLog) -> None:
        likeness = Likeness(ported=before.customs != after.customs)
        self._frameworks = before.customs.framework, after.customs.framework
        self._ported = likeness.ported
        self.alike, self.changes = (0, []) if self._ported else changes(before, after)
        self.parting = parting(build(before), build(after), likeness)
        gradients = Gradients(before, after, likeness)
        self.gradients, self.gone, self.new = gradients.changes(), gradients.solved(), gradients.new()

    def __str__(self) -> str:
        return "\n".join("\n  ".join((title, *lines)) for title, lines in self._sections())

    __repr__ = __str__

    def _sections(self) -> Iterator[tuple[str, list[str]]]:
        if self._ported:
            yield " and ".join(self._frameworks), []
        else:
            differing = sum(each.times for each in self.changes if each.mark != "~")
            yield f"{counted(self.alike, 'event')} alike, {differing:,} not", _few([str(each) for each in self.changes])
        steps = list(dict.fromkeys(map(str, self.parting or ())))
        results = "no results were kept to compare" if self.parting is None else "the same results"
        yield "values first differ at" if steps else results, steps
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
    """Compare two recordings of a program: of the broken and the fixed one, or in one framework and in another.

    What the two do is matched by line, op and shapes, and names of targets and sources pair their gradients. In two
    frameworks a gradient finds its counterpart by the end of its source's name, else by the value that the source
    began with, or by its shape; values are the same to half of their digits, whatever the order of their elements.

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


def _few(lines: list[str]) -> list[str]:
    return lines if len(lines) <= MOST else [*lines[:MOST], f"… and {len(lines) - MOST} more"]
