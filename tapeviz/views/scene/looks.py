"""Reading -> Looks: words, flags and size of every box, wire and group, before any of them has its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, prod
from typing import Literal, NamedTuple, TypeAlias

from tapeviz.replay import Run
from tapeviz.views.folding.groups import Group
from tapeviz.views.folding.tucked import tuckable
from tapeviz.views.reading import Reading
from tapeviz.views.reading.gradients import GrowingGradients, arrivals
from tapeviz.views.reading.shown_run import is_kept, opening_run
from tapeviz.views.reading.sketch import Box, BoxKind, tensors_of
from tapeviz.views.scene.flags import Badge, Claim, Flags
from tapeviz.views.scene.group_contents import GroupContents
from tapeviz.views.scene.metrics import text_width
from tapeviz.views.words import levels
from tapeviz.views.words.names import inside
from tapeviz.views.words.numbers import SHOWN_IN_A_ROW, written
from tapeviz.views.words.one_line import shortened

TITLE_SIZE, SUBTITLE_SIZE, BADGE_SIZE = 13.0, 11.0, 10.0
PADDING = 10.0
BADGE_PADDING = 7.0
BADGE_CORNER = 4.0
"""How far left of a box's right side the middle of its badge is."""
BADGE_OUT = 16.0
"""How far right of it a badge ends at most, so that it does not reach the next box."""
HEIGHT, LOW_HEIGHT, LEAST_WIDTH = 40.0, 30.0, 48.0
STRIP_HEIGHT = 14.0
"""What a strip adds to the height of a box, and its gradient likewise."""
MOST_SPREAD = 4_000
"""In a tape of more boxes, none shows a histogram or its gradient."""
MARK_ROOM = 22.0
"""The width of the mark that folds or unfolds a group."""

PROGRESS = "step 99 of 99"
"""What the front end writes on a folded group while one of its steps is done."""

LookKind: TypeAlias = BoxKind | Literal["group"]


@dataclass(frozen=True, kw_only=True)
class Look:
    """How a box, or a folded group, looks.

    `flags` are listed in the front end's `types.js`; `claim` is what its badge says of a run; `strip` is what it shows
    of its value, `gradient` of its gradient when the run is done: "" where only another run gives one, None where none
    does; `whole` is its title and subtitle in full, where they are shortened.
    """

    id: str
    kind: LookKind
    op: int | None = None
    tensor: int | None = None
    title: str
    subtitle: str
    flags: tuple[str, ...]
    badge: str | None = None
    claim: Claim | None = None
    strip: str | None = None
    gradient: str | None = None
    whole: str | None = None

    @property
    def w(self) -> float:
        """The width: room for the words, and for a badge at the corner clear of incoming edges."""
        # The last line of a round box is the one with the least room.
        numbers = self.gradient or "", "" if is_histogram(self.strip) else self.strip or ""
        return _width(self.kind, self.title, self.subtitle, numbers, self.badge)

    @property
    def h(self) -> float:
        """The height: a line each for title and subtitle, the strip and the gradient."""
        lines = bool(self.strip) + (self.gradient is not None)
        return (HEIGHT if self.subtitle else LOW_HEIGHT) + lines * STRIP_HEIGHT

    @property
    def as_leaf(self) -> tuple[int | None, str, str | None] | None:
        """What uses of one leaf have in common that look the same; None for what is no leaf."""
        return (self.tensor, self.subtitle, self.strip) if self.kind in ("variable", "constant") else None

    @property
    def heading(self) -> float:
        """The width that the title takes above a frame."""
        return float(ceil(text_width(self.title, SUBTITLE_SIZE, bold=True) + 2 * PADDING + MARK_ROOM))


class WireLook(NamedTuple):
    """How a wire looks, or several that are seen as one: its flags, and the word on it."""

    flags: tuple[str, ...]
    badge: str | None


@dataclass(frozen=True)
class Looks:
    """Boxes and wires in the order of the sketch, groups in theirs."""

    boxes: tuple[Look, ...]
    wires: tuple[WireLook, ...]
    groups: tuple[Look, ...]

    def tuckable(self, reading: Reading) -> dict[int, int]:
        """The parameters that can be tucked into the ops that read them."""
        boxes = [(each.kind, each.tensor, each.badge is not None) for each in self.boxes]
        ends = [(wire.tail, wire.head) for wire in reading.sketch.wires]
        return tuckable(boxes, [place.group for place in reading.places], ends, _passes(reading))


def _passes(reading: Reading) -> dict[int, list[int]]:
    """The box of an op -> the numbers of the backward passes that met it."""
    found: dict[int, list[int]] = {}
    for number, run in enumerate(reading.runs):
        for step in run.steps:
            found.setdefault(reading.sketch.box_of_op[step.op], []).append(number)
    return found


def looks(
    reading: Reading, values: bool = True, strips: Sequence[str | None] | None = None, run: Run | None = None
) -> Looks:
    """How everything in a log looks.

    Args:
        reading: the log, as it was read.
        values: without them, nothing depends on a value, but that it is NaN, infinite or all zeros.
        strips: what each box shows in place of its value; None for the values, and gradients below them.
        run: the run whose gradients are shown, and whose targets have the badge of a target; None for the gradients of
            the one that is shown first, and the targets of all.
    """
    flags, sketch = Flags(reading, run), reading.sketch
    boxes = [(flags.of_box(box), flags.badge_of_box(box)) for box in sketch.boxes]
    wires = [(flags.of_wire(wire), flags.word_of_wire(wire)) for wire in sketch.wires]
    heads = {wire.head: wire.how for wire in reversed(sketch.wires) if wire.how}
    spread = len(sketch.boxes) <= MOST_SPREAD
    has_gradients = values and spread and strips is None
    gradients = list(_gradients(reading, run)) if has_gradients else [None] * len(sketch.boxes)
    if strips is None:
        strips = list(_strips(reading, spread)) if values else [None] * len(sketch.boxes)
    words = [_words(reading, index, heads.get(index, ""), values) for index in range(len(sketch.boxes))]
    drawn = [_box(reading, *each) for each in zip(sketch.boxes, words, boxes, strips, gradients, strict=True)]
    ungrouped = Looks(tuple(drawn), tuple(WireLook(*each) for each in wires), ())
    return replace(ungrouped, groups=group_looks(reading, ungrouped))


def group_looks(reading: Reading, look: Looks) -> tuple[Look, ...]:
    """How the groups of a reading look when they are folded, by the looks of what is in them."""
    boxes = [(each.flags, Badge(each.badge, each.claim) if each.badge else None) for each in look.boxes]
    contents = GroupContents(reading, boxes, look.wires)
    return tuple(_group(index, row, contents) for index, row in enumerate(reading.groups.rows))


def _box(
    reading: Reading,
    box: Box,
    words: tuple[str, str],
    marked: tuple[tuple[str, ...], Badge | None],
    strip: str | None,
    gradient: str | None,
) -> Look:
    """The look of a box with these words, marked with these flags and this badge, with this strip and this gradient."""
    (title, subtitle), (flags, badge) = words, marked
    word, claim = badge or (None, None)
    return Look(
        id=box.id,
        kind=box.kind,
        op=box.op,
        tensor=box.tensor,
        title=title,
        subtitle=subtitle,
        flags=flags,
        badge=word,
        claim=claim,
        strip=strip,
        gradient=gradient,
        whole=_whole(reading, box, title, subtitle),
    )


def _group(index: int, row: Group, contents: GroupContents) -> Look:
    """The look of a folded group."""
    word, claim = contents.badge(index) or (None, None)
    flags = contents.flags(index)
    return Look(id=f"g{index}", kind="group", title=row.title, subtitle=row.note, flags=flags, badge=word, claim=claim)


def joined(wires: Sequence[WireLook]) -> WireLook:
    """How wires look that are seen as one: as the worst of them; faint only if all are."""
    cut = [wire for wire in wires if "cut" in wire.flags]
    words = [wire.badge for wire in cut or wires if wire.badge]
    more = f" +{len(words) - 1}" if len(words) > 1 else ""
    known = {flag for wire in wires for flag in wire.flags}
    flag = next(each for each in ("cut", "recorded", "skipped", "dead") if each in known)
    return WireLook((flag,), words[0] + more if words else None)


def badge_middle(w: float, badge: str) -> float:
    """How far right of the left side of a box of width `w` the middle of its badge is."""
    return w + min(-BADGE_CORNER, BADGE_OUT - badge_width(badge) / 2)


@lru_cache(1 << 14)
def _width(kind: LookKind, title: str, subtitle: str, numbers: tuple[str, str], badge: str | None) -> float:
    """The width of a box with these words: those of the steps of a training are the same in each."""
    words = max(text_width(title, TITLE_SIZE, bold=True), text_width(subtitle, SUBTITLE_SIZE))
    widest = max(text_width(each, SUBTITLE_SIZE, bold=True) for each in numbers)
    words = max(words, widest + (2 * PADDING if kind == "variable" and widest else 0.0))
    words = max(words, text_width(PROGRESS, SUBTITLE_SIZE) if kind == "group" else 0.0)
    width = words + 2 * PADDING + (MARK_ROOM if kind == "group" else 0.0)
    room = 2 * badge_width(badge) + 8 * BADGE_CORNER if badge else 0.0
    return float(ceil(max(LEAST_WIDTH, width, room)))


@lru_cache
def badge_width(badge: str) -> float:
    """The width of a badge's pill."""
    return round(text_width(badge, BADGE_SIZE, bold=True) + 2 * BADGE_PADDING, 2)


def _whole(reading: Reading, box: Box, title: str, subtitle: str) -> str | None:
    """The words of a box where they are cut, or its name where that has a part that its scopes say already."""
    is_cut = "…" in title + subtitle
    if box.op is not None:
        names = reading.names
        return f"{names.whole_title(box.op)}: {names.whole_subtitle(box.op)}" if is_cut else None
    assert box.tensor is not None
    name = reading.names.tensor(box.tensor)
    return f"{name}: {subtitle}" if is_cut or title != name else None


def is_histogram(strip: str | None) -> bool:
    """Whether a strip is a histogram, and not numbers."""
    return strip is not None and strip.startswith(":")


def _strips(reading: Reading, spread: bool) -> Iterator[str | None]:
    """What each box shows of its value."""
    places = [_place_of(reading, box, spread) for box in reading.sketch.boxes]
    if spread:
        reading.histograms.find(each for each in places if each is not None)
    for place in places:
        letters = reading.histograms.of(*place) if spread and place is not None else None
        yield f":{letters}" if letters else None if place is None else levels.strip(reading.log.value(*place))


def _place_of(reading: Reading, box: Box, spread: bool) -> tuple[int, int | None] | None:
    """The tensor whose value a box shows, and the position at which it holds it.

    None where there is none, for what would not be shown, and for a scalar leaf, whose subtitle tells it.
    """
    if box.op is not None:
        outputs = reading.graph.ops[box.op].outputs
        if len(outputs) != 1 or (not spread and prod(reading.log.tensors[outputs[0]].shape) > SHOWN_IN_A_ROW):
            return None
        return outputs[0], None
    assert box.tensor is not None
    shape = reading.log.tensors[box.tensor].shape
    if shape == () or (not spread and prod(shape) > SHOWN_IN_A_ROW and box.tensor not in reading.graph.writes):
        return None
    return box.tensor, box.at


def _gradients(reading: Reading, run: Run | None) -> Iterator[str | None]:
    """What every box shows of its gradient when a run is done."""
    kept = [each for each in reading.runs if is_kept(reading.log, each)]
    if run is None and kept:
        run = reading.runs[opening_run(reading.log, reading.runs)]
    reached = {tensor for each in kept for tensor in arrivals(reading.graph, each)}
    growing = GrowingGradients(reading.graph, run) if run else None
    for box in reading.sketch.boxes:
        tensors = tensors_of(reading.graph, box)
        yield None if reached.isdisjoint(tensors) else growing.at_the_end(tensors) if growing else ""


def _words(reading: Reading, index: int, how: str, values: bool) -> tuple[str, str]:
    """Title and subtitle of a box inside of its scopes; for a variable that was written, the subtitle says how."""
    box, home = reading.sketch.boxes[index], reading.places[index].home
    scopes = reading.groups.calls[home] if home >= 0 else ()
    if box.op is not None:
        return reading.names.title(box.op), written(reading.names.subtitle(box.op, scopes))
    assert box.tensor is not None
    title = shortened(inside(reading.names.tensor(box.tensor), scopes))
    return title, how if box.kind == "state" else written(reading.names.leaf_subtitle(box.tensor, box.at, values))
