"""An op and the edges of its domain, in words -> those of them that its own numbers and shapes leave open."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tapeviz.events import EventLog
from tapeviz.graph import Op

CONDITION = re.compile(r"\{(\w+)\} (?:(=|<|<=) (-?[\d.]+)|is (not an integer|empty))")
"""What a condition may ask of one argument."""
SLOPE_IN = re.compile(r"derivative in \{(\w+)\}")
SIGNS: Mapping[str, Callable[[float, float], bool]] = {"=": operator.eq, "<": operator.lt, "<=": operator.le}


def open_edges(log: EventLog, op: Op, arguments: Sequence[str], domain: Sequence[str]) -> tuple[str, ...]:
    """The edges that an op can meet, without the conditions that hold anyway.

    A power of 2.0 has none: whether an exponent is below 1, or an integer, is asked where it is a tensor.
    """
    if not domain:
        return ()
    inputs = dict(zip(arguments, op.inputs, strict=False))
    return tuple(edge for each in domain if (edge := _open(log, inputs, each)) is not None)


def _open(log: EventLog, inputs: Mapping[str, int], edge: str) -> str | None:
    """What is open of an edge; None if nothing is, or if it is about the derivative in a plain number."""
    conditions, colon, told = edge.partition(": ")
    if any(_number(log, inputs.get(place)) is not None for place in SLOPE_IN.findall(told)):
        return None
    answers = {each: _answer(log, inputs, each) for each in conditions.split(" and ")}
    if False in answers.values():
        return None
    left = [each for each, answer in answers.items() if answer is None]
    return f"{' and '.join(left)}{colon}{told}" if left else edge


def _answer(log: EventLog, inputs: Mapping[str, int], condition: str) -> bool | None:
    """Whether a condition holds whenever the line runs, or never; None if that depends on the run."""
    asked = CONDITION.fullmatch(condition)
    if asked is None or asked[1] not in inputs:
        return None
    if asked[4] == "empty":
        row = log.tensors[inputs[asked[1]]]
        return None if row.dtype == "unknown" else 0 in row.shape
    number = _number(log, inputs[asked[1]])
    if number is None:
        return None
    return not number.is_integer() if asked[4] else SIGNS[asked[2]](number, float(asked[3]))


def _number(log: EventLog, tensor: int | None) -> float | None:
    """The number that was written in the expression; None for any other argument."""
    if tensor is None or not log.tensors[tensor].is_number:
        return None
    value = log.value(tensor)
    return None if value is None or not np.isrealobj(value) else float(value)
