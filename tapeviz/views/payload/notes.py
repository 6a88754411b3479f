"""A lecturer's notes, by step -> the same, checked, as JSON can hold them."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any

from tapeviz.views.reading import Reading


def checked(notes: Any, reading: Reading) -> dict[int, str]:
    """Words by the steps they belong to.

    Raises:
        TypeError: no mapping, or a step that is no whole number.
        ValueError: a step that no backward pass has, so that nobody would ever read its words.
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
    absent = [step for step in found if not 0 <= step <= last]
    if absent:
        raise ValueError(f"notes for step {absent[0]}: the steps are 0 to {last}.")
    return found
