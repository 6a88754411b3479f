"""A log -> the debugger in a notebook, whose page may ask the program: to check a step, set a variable, for numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tapeviz import graph, replay
from tapeviz.errors import TapevizError
from tapeviz.events import log_of
from tapeviz.events.summary import elements_of
from tapeviz.live.check_step import check_step, not_kept
from tapeviz.views.page.widget import Debugger
from tapeviz.views.words.cells import Axes, cells
from tapeviz.views.words.names import Names

__all__ = ["LiveDebugger", "debug"]

MOST_CHARACTERS = 1_000_000
"""Of the numbers in one answer; at most 4 MB, however they are encoded."""
MOST_CELLS, MOST_CELL_SIDE = 1 << 18, 1 << 8
"""Of the picture in one answer; at most 1.4 MB."""


class LiveDebugger(Debugger):
    """The debugger of one log, with the running program behind it.

    The page asks by a message with an "id" and what it asks for, "ask": "check" of a "run" and a "step"; "set" of a
    "name" and a "text"; "numbers" of a "tensor", or "cells", for its picture, of a "tensor" and its axes "rows" and
    "columns". The answer has the same id, and either "answer" or, where there is none, "error": why.
    `setters` run the program again with another value of a variable, given as text, and raise ValueError for what is
    none.
    """

    def __init__(
        self,
        log_or_tape: Any,
        setters: Mapping[str, Callable[[str], None]] | None = None,
        notes: Mapping[int, str] | None = None,
        title: str | None = None,
    ) -> None:
        super().__init__(log_or_tape, notes, title)
        self._log = log_of(log_or_tape)
        self._setters = dict(setters or {})
        self.settable = list(self._setters)
        self.on_msg(self._hear)

    def follow(self, log_or_tape: Any) -> None:
        super().follow(log_or_tape)
        self._log = log_of(log_or_tape)

    def _hear(self, _widget: Any, question: Any, _buffers: Any) -> None:
        answers = {"check": self._check, "set": self._set, "numbers": self._numbers, "cells": self._cells}
        if isinstance(question, dict) and question.get("ask") in answers:
            self.send({"id": question.get("id"), **answers[question["ask"]](question)})

    def _set(self, question: dict[str, Any]) -> dict[str, Any]:
        try:
            self._setters[question["name"]](str(question["text"]))
        except KeyError:
            return {"error": f"{question.get('name')!r} is nothing that the program can be run again with."}
        except ValueError as error:
            return {"error": str(error)}
        return {"answer": True}

    def _numbers(self, question: dict[str, Any]) -> dict[str, Any]:
        tensor = int(question["tensor"])
        value = elements_of(self._log.value(tensor))
        if value is None:
            return {"error": self._not_kept(tensor)}
        text = np.array2string(value, threshold=MOST_CHARACTERS, max_line_width=100)
        more = len(text) - MOST_CHARACTERS
        return {"answer": text if more <= 0 else f"{text[:MOST_CHARACTERS]}\n… and {more:,} more characters"}

    def _cells(self, question: dict[str, Any]) -> dict[str, Any]:
        tensor = int(question["tensor"])
        value = self._log.value(tensor)
        names = ("",) * np.ndim(value)
        axes = Axes(int(question["rows"]), int(question["columns"]), names)
        found = cells(value, axes, MOST_CELLS, MOST_CELL_SIDE)
        return {"error": self._not_kept(tensor)} if found is None else {"answer": found}

    def _not_kept(self, tensor: int) -> str:
        names = Names(graph.build(self._log), replay.runs(self._log))
        return not_kept(names.tensor(tensor))

    def _check(self, question: dict[str, Any]) -> dict[str, Any]:
        try:
            check = check_step(self._log, int(question["step"]), int(question["run"]))
        except (TapevizError, IndexError) as error:
            return {"error": str(error)}
        found = [{"slot": each.slot, "verdict": each.verdict, "text": each.text} for each in check.comparisons]
        return {"answer": {"agrees": check.agrees, "comparisons": found}}


def debug(log_or_tape: Any, *, notes: Mapping[int, str] | None = None, title: str | None = None) -> LiveDebugger:
    """Show the live debugger of a log in a notebook.

    Args:
        log_or_tape: a log, or anything with `.log`, such as a tape.
        notes: words to show at steps of the backward pass, as for `save_html`: `{1: "The square comes first."}`.
        title: of what is shown; by default what was recorded.

    Returns:
        The widget; its attributes `run`, `step` and `selected` say what it shows, and can be set.

    Raises:
        TypeError: `log_or_tape` neither is a log nor has one, or `notes` are no texts by the numbers of steps.
        ValueError: there is no such step.

    >>> import tapeviz as tf
    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * x * x
    >>> dy_dx = tape.gradient(y, x)
    >>> widget = debug(tape)
    >>> widget.step = 2
    >>> len(widget.payload["runs"][widget.run]["steps"])
    2
    """
    return LiveDebugger(log_or_tape, notes=notes, title=title)
