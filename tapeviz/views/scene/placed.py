"""Looks, and the groups that are unfolded -> what is seen, and where; those that are when a picture opens."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from tapeviz.views.folding.fold import Folded, GroupSpan, fold
from tapeviz.views.folding.initially_unfolded import unfoldings
from tapeviz.views.layout import DOWN, BoxSize, Flow
from tapeviz.views.reading import Reading
from tapeviz.views.reading.shown_run import opening_run
from tapeviz.views.scene.looks import Look, Looks
from tapeviz.views.scene.nest import Nested, nest
from tapeviz.views.scene.sharing import share

ROOM_WIDTH, ROOM_HEIGHT = 900.0, 690.0
"""What a window of usual size leaves to a picture."""
NAMES = 0.65
"""As small as a picture may be for its names to be read, as `frontend/viewport/framing.js` has it."""


def place(
    look: Looks, reading: Reading, unfolded: Collection[int], parameters: Mapping[int, int], flow: Flow
) -> tuple[Folded, Nested]:
    """What is seen, and where it stands; `parameters` are boxes that are seen as the op that reads them."""
    spans = reading.groups.spans
    ends = [(wire.tail, wire.head) for wire in reading.sketch.wires]
    return share(
        fold(reading.places, ends, spans, unfolded, parameters),
        [box.as_leaf for box in look.boxes],
        ends,
        spans,
        lambda folded: _nested(look, folded, spans, flow),
    )


def looks_of(look: Looks, folded: Folded) -> list[Look]:
    """The looks of all that is seen: of boxes, and of folded groups."""
    return [look.boxes[each.box] if each.group < 0 else look.groups[each.group] for each in folded.seen]


def opening(look: Looks, reading: Reading, parameters: Mapping[int, int]) -> tuple[int, ...]:
    """The groups that are unfolded when a picture opens: as many as leave it whole and its names to be read.

    Where not even its outermost groups do, all that there is room for in boxes. The run that is shown first is among
    them, where it is a round of a loop.
    """
    number = opening_run(reading.log, reading.runs)
    shown = reading.groups.around(step.op for step in reading.runs[number].steps) if number >= 0 else -1
    ways = list(unfoldings(reading.places, reading.groups, parameters, shown))
    fitting = (way for way in reversed(ways[1:]) if _can_be_read(look, reading, way, parameters))
    return next(fitting, ways[-1])


def _can_be_read(look: Looks, reading: Reading, unfolded: tuple[int, ...], parameters: Mapping[int, int]) -> bool:
    placed = (place(look, reading, unfolded, parameters, flow)[1] for flow in _flows())
    return any(each.width * NAMES <= ROOM_WIDTH and each.height * NAMES <= ROOM_HEIGHT for each in placed)


def _flows() -> Iterator[Flow]:
    """The ways in which a page may let a picture run."""
    yield DOWN
    yield Flow(across=True)
    yield Flow(aspect=ROOM_HEIGHT / ROOM_WIDTH)
    yield Flow(across=True, aspect=ROOM_WIDTH / ROOM_HEIGHT)


def _nested(look: Looks, folded: Folded, spans: Sequence[GroupSpan], flow: Flow) -> Nested:
    return nest(
        [BoxSize(each.w, each.h) for each in looks_of(look, folded)],
        [each.parent for each in folded.seen],
        [(wire.tail, wire.head) for wire in folded.wires],
        [span.parent for span in spans],
        [group.heading for group in look.groups],
        flow,
    )
