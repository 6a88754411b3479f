"""Reading -> the ops of the payload, and what all ops of one kind have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.events import EventLog, OpRecorded
from tapeviz.events.row import Row
from tapeviz.graph import Op
from tapeviz.views.payload.sites import NumberedSites
from tapeviz.views.reading import Reading
from tapeviz.views.words import numbers
from tapeviz.views.words.attributes import attribute, attributes
from tapeviz.views.words.formulas import mathml, plain
from tapeviz.views.words.rules import is_summed
from tapeviz.views.words.variants import row_of


class Kinds:
    """Kinds of ops, numbered in order of appearance: ops of one name and one catalog row are of one kind."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._known: dict[tuple[str, int], tuple[int, Row | None]] = {}  # by the row's id, and so with the row itself
        self._cards: list[dict[str, Any]] = []

    def number(self, name: str, row: Row | None) -> int:
        """The number of the kind of ops of this name and row."""
        if (name, id(row)) not in self._known:
            self._known[name, id(row)] = self._number(name, row), row
        return self._known[name, id(row)][0]

    def _number(self, name: str, row: Row | None) -> int:
        number = self._numbers.setdefault(f"{name} {row}", len(self._cards))
        if number == len(self._cards):
            self._cards.append(kind_card(name, row))
        return number

    def cards(self) -> list[dict[str, Any]]:
        """A card for each."""
        return self._cards


def op_card(reading: Reading, position: int, kinds: Kinds, sites: NumberedSites, values: bool) -> dict[str, Any]:
    """What is known of one op.

    `words` are what stands in formulas for its attributes, `read` the numbers that it read where these are not those
    of the tensors' cards: a variable has others over time; `summed` are the arguments whose gradients are sums.
    """
    op = reading.graph.ops[position]
    row = row_of(reading.log, op)
    templates = " ".join(filter(None, (row.formula, *row.vjps.values(), *row.domain))) if row and op.attrs else ""
    words = [{"name": name, "text": attribute(name, value)} for name, value in op.attrs if f"{{{name}}}" in templates]
    return {
        "kind": kinds.number(op.op, row),
        "box": reading.sketch.box_of_op.get(position),
        "attrs": ", ".join(attributes(op, row)) or None,
        "words": words,
        "inputs": list(op.inputs),
        "summed": [slot for slot in range(len(op.inputs)) if is_summed(reading.log, op, slot)],
        "read": list(_read(reading, position)) if values else [],
        "outputs": list(op.outputs),
        "saved": list(op.saved) if isinstance(op, OpRecorded) else [],
        "site": sites.of_id(op.site),
        "tapes": reading.log.once(("followed by", op.tapes), lambda: _tapes(reading.log, op)),
    }


def _read(reading: Reading, position: int) -> Iterator[dict[str, Any]]:
    for slot, tensor in enumerate(reading.graph.ops[position].inputs):
        if len(reading.log.versions(tensor)) > 1 and reading.graph.is_variable(tensor):
            value, first = reading.log.value(tensor, position), reading.log.value(tensor)
            if numbers.is_scalar(value) and numbers.short_text(value) != numbers.short_text(first):
                yield {"slot": slot, "text": numbers.number(value)}


def kind_card(name: str, row: Row | None) -> dict[str, Any]:
    """What is known of all ops of one kind: their edges; their formula and rules, as MathML and as a line."""
    arguments = row.arguments if row else ()
    return {
        "name": name,
        "arguments": list(arguments),
        "formula": _formula(f"{{out}} = {row.formula}" if row and row.formula else None),
        "rules": [_formula(row.vjps.get(argument) if row else None) for argument in arguments],
        "edges": list(row.domain) if row else [],
    }


def _formula(template: str | None) -> dict[str, str] | None:
    return None if template is None else {"math": mathml(template), "line": plain(template)}


def _tapes(log: EventLog, op: Op) -> str:
    say = dialect_of(log).say
    why = {"unwatched": say("reads nothing watched"), "integer_dtype": "it reads integers", "paused": say("off")}
    if not op.tapes:
        return "not followed: no tape was open"
    several = len(op.tapes) > 1
    parts = []
    for tape, decision in op.tapes:
        which = f"tape {tape + 1}" if several else say("the tape")
        followed = decision == "recorded"
        parts.append(f"followed by {which}" if followed else f"not followed by {which}: {why[decision]}")
    return "; ".join(parts)
