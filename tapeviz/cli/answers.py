"""EventLog, a question -> an answer in words, short enough to be one of many that an assistant keeps in mind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.diagnosis.columns import Cell
from tapeviz.diagnosis.comparing.compare import Comparison
from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.diagnosis.recorded_calls import gradient_calls
from tapeviz.diagnosis.table import table_of
from tapeviz.diagnosis.why import why
from tapeviz.events import EventLog
from tapeviz.events.summary import Summary, summary_of
from tapeviz.graph import build
from tapeviz.phrases import counted
from tapeviz.views.words.numbers import few_elements, number, shape_text

LIMIT = 1500
"""Characters of an answer. That is 500 tokens or less: of program text three characters make one, of prose four."""

SHOWN_CALLS = 5
"""How many of the last gradients of one tensor are told."""


def found(log: EventLog, first: int = 1) -> str:
    """The findings, worst first, from that of number `first` on."""
    findings = diagnose(log)
    texts = [f"{number}. {text}" for number, text in enumerate(findings.texts(), 1)]
    return as_many(texts, first, "finding") if texts else within(str(findings))


def explained(log: EventLog, target: str, source: str) -> str:
    """Why the gradient of one tensor by another, both by name, is what it is.

    Raises:
        LogError: the log has no such name.
    """
    return within(str(why(log, target, source)))


def tabulated(log: EventLog, first: int = 1) -> str:
    """The norm of each gradient, or what is in its place, from that of the source of number `first` on."""
    gradients = table_of(log)
    rows = [f"{row[0].source}: {', '.join(map(_cell, row))}" for row in gradients]
    return as_many(rows, first, "source") if rows else within(str(gradients))


def _cell(cell: Cell) -> str:
    unasked = {"reaches": "was not asked for, would arrive", "apart": "was not asked for, would be None"}
    cause = "" if cell.finding is None else f" [{cell.finding.cause}]"
    return f"of {cell.target} {cell.arrived or unasked[cell.state]}{cause}"


def value(log: EventLog, name: str) -> str:
    """What a tensor held, by name, and its last gradients.

    Raises:
        LogError: the log has no such name.
    """
    tensor = log.id_of(name)
    row, versions = log.tensors[tensor], log.versions(tensor)
    placement = f", {row.placement}" if row.placement else ""
    told = [f"{name}: {row.dtype}, shape {shape_text(row.shape)}{placement}", f"value: {_numbers(log.value(tensor))}"]
    if len(versions) > 1:
        told.append(f"value at last: {_numbers(log.value(tensor, versions[-1][0]))}")
    gradients = [call.gradients[tensor] for call in gradient_calls(build(log)) if tensor in call.gradients]
    if len(gradients) > SHOWN_CALLS:
        told.append(f"{counted(len(gradients), 'gradient')}, of which these are the last:")
    for each in gradients[-SHOWN_CALLS:]:
        told.append(f"gradient: {'None' if each is None else _numbers(log.value(each))}")
    return within("\n".join(told))


def _numbers(held: Any) -> str:
    """A value in one line: all its elements where they are few, else its statistics."""
    few = None if held is None or isinstance(held, Summary) else few_elements(held)
    summary = None if few is not None else summary_of(held)
    if few is not None or summary is None:
        return few or "not kept"
    names = ("norm", "min", "max", "mean", "zeros", "nans", "infs")
    return ", ".join(f"{name} {number(getattr(summary, name))}" for name in names)


def compared(before: EventLog, after: EventLog) -> str:
    """What the program does otherwise in the second of two recordings, and how that changes its gradients."""
    return within(str(Comparison(before, after)))


def as_many(parts: Sequence[str], first: int, noun: str) -> str:
    """The parts from number `first` on, as many as an answer holds, and how to ask for those that are left.

    Raises:
        ValueError: there is no part of this number.
    """
    if not 1 <= first <= len(parts):
        raise ValueError(f"first={first}: there are {counted(len(parts), noun)}, of which the first is number 1.")
    room = LIMIT - 80
    shown = [within(parts[first - 1], room)]
    for part in parts[first:]:
        if sum(map(len, shown)) + 2 * len(shown) + len(part) > room:
            left = len(parts) - first + 1 - len(shown)
            return "\n".join([*shown, f"And {counted(left, noun)} more: ask again with first={first + len(shown)}."])
        shown.append(part)
    return "\n".join(shown)


def within(text: str, room: int = LIMIT) -> str:
    """A text as far as an answer holds it, by whole lines where it has some."""
    if len(text) <= room:
        return text
    kept = text[: room - 2]
    return f"{kept[: kept.rfind(chr(10))] if chr(10) in kept else kept}\n…"
