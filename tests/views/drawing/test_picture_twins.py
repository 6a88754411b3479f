"""Boxes, wires and their words have the same shapes on a page as in a picture."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tapeviz.views.drawing.marks import Mark, Polygon, Rect, Stroke, Text
from tapeviz.views.drawing.picture import picture
from tapeviz.views.payload import payload
from tapeviz.views.reading import read
from tapeviz.views.scene import scene
from tapeviz.views.scene.looks import BADGE_SIZE, MARK_ROOM
from tests.views.javascript import in_javascript
from tests.views.samples import LOGS

Shape: TypeAlias = tuple[str, list[float]]
"""What it is, or the words of a text, and where it stands; a pill is as wide on a page as its word turns out there."""

PAINTED = Path(__file__).parent / "painted.mjs"
NUMBER = re.compile(r"-?[\d.]+")
LEFT_OUT = {"halo", "fold-mark", "upstream", "line"}
"""Classes of what only a page has, and of the curve of a wire, which has tests of its own."""


def on_a_page(element: Any, left: float = 0.0, top: float = 0.0) -> Iterator[Shape]:
    """The shapes of an SVG element, and of those in it."""
    if isinstance(element, str) or element["attributes"].get("class") in LEFT_OUT:
        return
    own = element["attributes"]
    x, y = map(float, NUMBER.findall(own.get("transform", "0 0")))
    left, top = left + x, top + y
    x, y = left + float(own.get("x", 0)), top + float(own.get("y", 0))
    match element["tag"]:
        case "rect" if "width" in own:
            yield "box", [x, y, *(float(own[name]) for name in ("width", "height", "rx"))]
        case "rect":
            yield "pill", [y, float(own["height"]), float(own["rx"])]
        case "text":
            yield words_in(element), [x, y]
            return
        case "path":
            yield from (("line", line) for line in lines(own["d"], left, top))
    for child in element["children"]:
        yield from on_a_page(child, left, top)


def words_in(element: Any) -> str:
    """The words of a text, and of the parts of it that look otherwise."""
    return element if isinstance(element, str) else "".join(map(words_in, element["children"]))


def lines(d: str, left: float, top: float) -> Iterator[list[float]]:
    """The points of every line of a path, one coordinate after the other."""
    x = y = 0.0
    for moved in re.findall(r"[Mm][^Mm]*", d):
        line: list[float] = []
        for letter, given in re.findall(r"([MmlhV])([^a-zA-Z]*)", moved):
            across, *down = map(float, NUMBER.findall(given))
            match letter:
                case "M":
                    x, y = across, down[0]
                case "m" | "l":
                    x, y = x + across, y + down[0]
                case "h":
                    x += across
                case "V":
                    y = across
            line += [left + x, top + y]
        yield line


def in_a_picture(marks: Iterable[Mark], aside: float = 0.0) -> Iterator[Shape]:
    """The shapes of marks whose words stand a little `aside` on a page."""
    for mark in marks:
        match mark:
            case Rect(line=None):
                yield "pill", [mark.y, mark.h, mark.corner]
            case Rect():
                yield "box", [mark.x, mark.y, mark.w, mark.h, mark.corner]
            case Text():
                yield mark.text, [mark.x + (0.0 if mark.size == BADGE_SIZE else aside), mark.y]
            case Polygon():
                yield "line", [each for point in mark.points for each in point]
            case Stroke():
                yield "line", [*mark.start, *mark.end]


@pytest.mark.node
@pytest.mark.parametrize("unfolded", [[], [0]])
@pytest.mark.parametrize("name", LOGS)
def test_a_page_paints_what_a_picture_does(name: str, unfolded: list[int]) -> None:
    reading = read(LOGS[name]())
    unfolded = [group for group in unfolded if group < len(reading.groups.rows)]
    drawn = scene(reading, unfolded)
    gradients = [node.gradient or "" for node in drawn.nodes]
    [page] = in_javascript(PAINTED, "painted", [[payload(reading)["scene"], unfolded, gradients]])
    groups = {group.id: group.marks for group in picture(drawn).groups}
    for node, box in zip(drawn.nodes, page["boxes"], strict=True):
        aside = MARK_ROOM / 2 if node.kind == "group" else 0.0
        compare(on_a_page(box, node.x, node.y), in_a_picture(groups[node.id], aside))
    for index, wire in enumerate(page["wires"]):
        compare(on_a_page(wire), in_a_picture([*groups[f"e{index}"], *groups.get(f"e{index}.word", ())]))


def compare(ours: Iterable[Shape], theirs: Iterable[Shape]) -> None:
    """Sorted, as an element of a page may hold its own in another order."""
    mine, others = sorted(ours), sorted(theirs)
    assert [word for word, _ in mine] == [word for word, _ in others]
    for (word, numbers), (_, expected) in zip(mine, others, strict=True):
        assert numbers == pytest.approx(expected, abs=0.15), word
