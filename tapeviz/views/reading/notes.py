"""A lecturer's notes, by step -> the same, checked; as JSON can hold them, and as plain text, with their formulas."""

from __future__ import annotations

import re
from collections.abc import Mapping
from operator import index
from typing import Any

from tapeviz.views.reading import Reading
from tapeviz.views.words import formulas

NO_BREAK = "\N{NO-BREAK SPACE}"
_SPACE = re.compile(rf"[^\S{NO_BREAK}]+")
_FORMULA = re.compile(r"(?<![\\\w$])(\${1,2})(?=[^\s$])([^$\n]+?)(?<=\S)\1(?![\w$])")
"""LaTeX between dollars, one or two, as Markdown has it: two prices are none."""


def checked(notes: Any, reading: Reading) -> dict[int, str]:
    """Words by the steps they belong to.

    Raises:
        TypeError: no mapping, or a step that is no whole number.
        ValueError: a step that no backward pass has, so that nobody would ever read its words; a formula that cannot be
            set.
    """
    if notes is None:
        return {}
    if not isinstance(notes, Mapping):
        kind = type(notes).__name__
        raise TypeError(f'notes are words by step, as in {{1: "The square comes first."}}, not a {kind}.')
    try:
        found = {index(step): str(note) for step, note in notes.items()}
    except TypeError:
        raise TypeError(f"notes go by the numbers of steps: write 1, not '1' nor 1.0; got {list(notes)}.") from None
    last = max((len(run.steps) for run in reading.runs), default=len(reading.graph.ops))
    for step, note in found.items():
        _refuse_faulty(step, note)
    absent = [step for step in found if not 0 <= step <= last]
    if absent:
        raise ValueError(f"notes for step {absent[0]}: the steps are 0 to {last}.")
    return found


def _refuse_faulty(step: int, note: str) -> None:
    for latex in _split(note)[1]:
        try:
            formulas.written(latex)
        except ValueError as error:
            raise ValueError(f"the note for step {step}: in `${latex}$` {error}.") from None


def note_card(note: str) -> dict[str, Any]:
    """The words of a note and the formulas between them.

    >>> note_card("the slope $a(1-a)$, at $5 to $6")["words"]
    ['the slope ', ', at $5 to $6']
    """
    words, found = _split(note)
    written = [dict(zip(("math", "line"), formulas.written(each), strict=True)) for each in found]
    return {"words": words, "formulas": written}


def plain_note(note: str) -> str:
    """A note on one line, in which a formula has spaces that break no line.

    >>> plain_note(r"the slope $\\frac{a}{b}$ of `loss`")
    'the slope a\\xa0/\\xa0b of loss'
    """
    words, found = _split(note)
    lines = [formulas.written(each)[1].replace(formulas.TIMES, "").replace(" ", NO_BREAK) for each in found]
    parts = [part for pair in zip(words, [*lines, ""], strict=True) for part in pair]
    return _SPACE.sub(" ", "".join(parts).replace("`", "")).strip()


def _split(note: str) -> tuple[list[str], list[str]]:
    """Words, and the formulas that stand between each of them and the next."""
    parts = _FORMULA.split(note)
    return [each.replace("\\$", "$") for each in parts[::3]], parts[2::3]
