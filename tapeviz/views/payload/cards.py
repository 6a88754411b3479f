"""Reading -> what the cards of the debugger say: of every tensor, of every op, of every line of source."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from tapeviz.diagnosis.dialects import spoken_in
from tapeviz.events import EventLog, OpRecorded, Pruned, Site
from tapeviz.events.row import Row
from tapeviz.graph import Op
from tapeviz.views.reading import Reading
from tapeviz.views.words import numbers
from tapeviz.views.words.broadcast import is_summed
from tapeviz.views.words.formulas import mathml, plain
from tapeviz.views.words.names import attribute, attributes
from tapeviz.views.words.variants import row_of

LINES_AROUND = 3
ROOM_FOR_STATISTICS = 12
"""With less room for each tensor, only its norm is shown."""

NOT_SAVED: Mapping[str, Any] = {"saved": False, "pruned": None}


def tensor_card(reading: Reading, tensor: int, value: Any, room: int) -> dict[str, Any]:
    """What is known of one tensor; without a `value`, nothing that depends on its elements.

    Its elements, and its heat map, are there as far as they take no more than `room` characters. `short` is what is
    said of it on one line, where that is neither the value of a scalar nor "norm", and the norm.
    """
    row = reading.log.tensors[tensor]
    text = numbers.value_text(value, room)
    statistics = numbers.statistics(value) if room >= ROOM_FOR_STATISTICS else numbers.norm_alone(value)
    said = text if row.shape == () else _norm(statistics)
    scalar = row.shape == () and text is None
    few = row.shape != () and math.prod(row.shape) <= numbers.SHOWN_IN_A_ROW
    short = numbers.short_text(value) if scalar or few or said == "norm " else said
    return {
        "name": reading.names.tensor(tensor),
        "role": row.role,
        "shape": numbers.shape_text(row.shape) if row.dtype != "unknown" else "unknown",
        "dtype": row.dtype,
        "value": text,
        "short": None if short in (said, None, "not kept") else short,
        "statistics": statistics,
        "grid": numbers.grid(value, room),
        "histogram": numbers.histogram(value) if room >= ROOM_FOR_STATISTICS else None,
    }


def _norm(statistics: str | None) -> str | None:
    """What is said of a value on one line, where its statistics are there."""
    parts = (statistics or "").split(",")
    return f"norm {parts[3]}" if len(parts) > 3 else None


def keeping(reading: Reading) -> dict[int, dict[str, Any]]:
    """Tensor -> whether a tape saved it, and why it was released."""
    kept: dict[int, dict[str, Any]] = {}
    for event in reading.log.of_kind(OpRecorded, Pruned).values():
        if isinstance(event, OpRecorded):
            for tensor in event.saved:
                kept.setdefault(tensor, {"saved": True, "pruned": None})
        else:
            for tensor in event.tensors:
                kept.setdefault(tensor, {**NOT_SAVED})["pruned"] = event.reason
    return kept


class Kinds:
    """Kinds of ops, numbered in order of appearance: ops of one name and one catalog row are of one kind."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._cards: list[dict[str, Any]] = []

    def number(self, name: str, row: Row | None) -> int:
        """The number of the kind of ops of this name and row."""
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
        "site": sites.number(op.site),
        "tapes": _tapes(reading.log, op),
    }


def _read(reading: Reading, position: int) -> Iterator[dict[str, Any]]:
    for slot, tensor in enumerate(reading.graph.ops[position].inputs):
        if reading.graph.is_variable(tensor):
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


class NumberedSites:
    """The sites that cards point to, numbered as they come."""

    def __init__(self, reading: Reading, sources: bool) -> None:
        self._reading = reading
        self._sources = sources
        self._numbers: dict[Site, int] = {}

    def number(self, site: Site | int | None) -> int | None:
        """The number of a site, or of the log's site of that id."""
        if site is None:
            return None
        row = self._reading.log.sites[site] if isinstance(site, int) else site
        return self._numbers.setdefault(row, len(self._numbers))

    def cards(self) -> list[dict[str, Any]]:
        """A card for each."""
        return [site_card(self._reading, site, self._sources) for site in self._numbers]


def site_card(reading: Reading, site: Site, sources: bool) -> dict[str, Any]:
    """A place in the source with the lines around it (without `sources`, no text); columns count characters."""
    lines = [line.rstrip("\r\n") for line in reading.log.source(site.filename)] if sources else []
    first, last = max(1, site.line - LINES_AROUND), min(len(lines), site.end_line + LINES_AROUND)
    return {
        "file": site.filename,
        "line": site.line,
        "column": _characters(lines, site.line, site.column),
        "end_line": site.end_line,
        "end_column": _characters(lines, site.end_line, site.end_column),
        "function": site.function,
        "first": first,
        "context": lines[first - 1 : last],
    }


def _characters(lines: list[str], line: int, column: int) -> int:
    """A column in bytes as one in characters."""
    if not 0 < line <= len(lines):
        return column
    return len(lines[line - 1].encode()[:column].decode(errors="replace"))


def _tapes(log: EventLog, op: Op) -> str:
    speech = spoken_in(log)
    why = {"unwatched": speech.reads_unwatched, "integer_dtype": "it reads integers", "paused": speech.off}
    if not op.tapes:
        return "not followed: no tape was open"
    several = len(op.tapes) > 1
    parts = []
    for tape, decision in op.tapes:
        which = f"tape {tape + 1}" if several else speech.tape
        followed = decision == "recorded"
        parts.append(f"followed by {which}" if followed else f"not followed by {which}: {why[decision]}")
    return "; ".join(parts)
