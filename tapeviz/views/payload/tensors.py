"""Reading -> the tensors of the payload: a card for each, with as much of its numbers as there is room for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tapeviz.events import OpRecorded, Pruned
from tapeviz.events.figures import Figure
from tapeviz.views.payload.room import Room, room_of
from tapeviz.views.payload.sites import NumberedSites
from tapeviz.views.reading import Reading
from tapeviz.views.reading.gradients import running_sums
from tapeviz.views.words import levels, numbers

ROOM_FOR_STATISTICS, ROOM_FOR_SPREAD = 12, 100
"""With less room for each tensor, only its norm is shown; its elements do not spread on a log scale."""

NOT_SAVED: Mapping[str, Any] = {"saved": False, "pruned": None}


def tensor_cards(reading: Reading, sites: NumberedSites, values: bool) -> dict[str, Any]:
    """A card for every tensor that is shown, by its id; without `values`, with nothing that depends on its elements."""
    drawn = sorted(_drawn_tensors(reading))
    kept = keeping(reading)
    room = room_of(reading, drawn)
    # One after the other, as a sum may be large.
    sums = (each for run in reading.runs for each in running_sums(reading.log, run)) if values else ()
    summed = {tensor: tensor_card(reading, tensor, value, room) for tensor, value in sums}
    return {
        str(tensor): {
            **(summed.get(tensor) or _card(reading, tensor, room, values)),
            "rewritten": _is_rewritten(reading, tensor),
            **kept.get(tensor, NOT_SAVED),
            "site": sites.at(reading.graph.made_at(tensor)),
        }
        for tensor in drawn
    }


def _is_rewritten(reading: Reading, tensor: int) -> bool:
    """Whether an op read a variable after it was written to, when it held other numbers than its card shows."""
    versions = reading.log.versions(tensor) if tensor in reading.graph.writes else ()
    return len(versions) > 1 and any(position > versions[1][0] for position, _ in reading.graph.consumers(tensor))


def _drawn_tensors(reading: Reading) -> set[int]:
    """The tensors that are drawn, go into a drawn op or come out of it, or are a gradient of one of these."""
    shown = {box.tensor for box in reading.sketch.boxes if box.tensor is not None}
    for op in reading.sketch.box_of_op:
        shown.update(reading.graph.ops[op].inputs, reading.graph.ops[op].outputs)
    for run in reading.runs:
        shown.update(run.targets, run.sources, (each for each in run.gradients or () if each is not None))
        for step in run.steps:
            shown.update(each for each in step.upstream if each is not None)
            shown.update(*((each.tensor, each.cotangent, each.total) for each in step.contributions))
    return shown


def _card(reading: Reading, tensor: int, room: Room, values: bool) -> dict[str, Any]:
    """The card of a tensor, whose elements are read where something of them is shown."""
    figure = reading.graph.figures.of(tensor) if values else None
    shape = () if figure is None else figure.shape
    size = math.prod(shape)
    if figure is None or not shape:
        return tensor_card(reading, tensor, reading.log.value(tensor) if values else None, room)
    is_shown = (
        room.characters >= min(ROOM_FOR_STATISTICS, 2 * size)
        or size <= numbers.SHOWN_IN_A_ROW
        or room.has_picture(tensor)
    )
    return tensor_card(reading, tensor, reading.log.value(tensor) if is_shown else None, room, figure)


def tensor_card(reading: Reading, tensor: int, value: Any, room: Room, figure: Figure | None = None) -> dict[str, Any]:
    """What is known of one tensor; without a `value`, nothing that depends on its elements.

    Its elements, and its picture, are left out where there is no `room` for them. `short` is what is
    said of it on one line; it is None where the front end can tell: the value of a scalar, or "norm" and the norm.
    `figure` are its statistics, where someone has them already; with these alone, no element of it is shown.
    """
    row = reading.log.tensors[tensor]
    text = numbers.value_text(value, room.characters)
    statistics = _statistics(value, room.characters, figure)
    said = text if row.shape == () else _norm(statistics)
    scalar = row.shape == () and text is None
    few = row.shape != () and math.prod(row.shape) <= numbers.SHOWN_IN_A_ROW
    short = said
    if scalar or few or said == "norm ":
        short = numbers.short_text(figure.summary if value is None and figure is not None else value)
    return {
        "name": reading.names.tensor(tensor),
        "role": row.role,
        "shape": numbers.shape_text(row.shape) if row.dtype != "unknown" else "unknown",
        "dtype": row.dtype,
        "placement": row.placement,
        "value": text,
        "short": None if short in (said, None, numbers.NOT_KEPT) else short,
        "statistics": statistics,
        "grid": room.picture(tensor, value),
        "histogram": _histogram(reading, tensor, value, figure) if room.characters >= ROOM_FOR_STATISTICS else None,
        "spread": levels.spread(value) if room.characters >= ROOM_FOR_SPREAD else None,
    }


def _histogram(reading: Reading, tensor: int, value: Any, figure: Figure | None) -> str | None:
    """How a value spreads: the log's own, where its statistics are known."""
    return levels.histogram(value) if figure is None else reading.histograms.of(tensor)


def _statistics(value: Any, room: int, figure: Figure | None) -> str | None:
    """The statistics of a value, or its norm alone where there is room for no more."""
    if room >= ROOM_FOR_STATISTICS:
        return numbers.statistics(value if figure is None else figure.summary)
    if figure is None:
        return numbers.norm_alone(value)
    return numbers.just_norm(figure.norm) or numbers.statistics(figure.summary)


def _norm(statistics: str | None) -> str | None:
    """The norm among the statistics of a value, as it is said on one line; None where there are no statistics."""
    parts = (statistics or "").split(",")
    return f"norm {parts[3]}" if len(parts) > 3 else None


def keeping(reading: Reading) -> dict[int, dict[str, Any]]:
    """Tensor -> whether a tape saved it, and why it was let go; tensors that no tape ever held are left out."""
    kept: dict[int, dict[str, Any]] = {}
    for event in reading.log.of_kind(OpRecorded, Pruned).values():
        if isinstance(event, OpRecorded):
            for tensor in event.saved:
                kept.setdefault(tensor, {"saved": True, "pruned": None})
        else:
            for tensor in event.tensors:
                kept.setdefault(tensor, {**NOT_SAVED})["pruned"] = event.reason
    return kept
