"""The shapes and texts of a picture: where they stand, and which of them a box begins with."""

from __future__ import annotations

import pytest

from tapeviz.views.drawing.marks import Curve, Mark, MarkGroup, Picture, Polygon, Rect, Stroke, Text, pill

MARKS: dict[Mark, Mark] = {
    Rect(1, 2, 30, 20, 9, "op"): Rect(11, 7, 30, 20, 9, "op"),
    Curve(((1, 2), (3, 4)), "edge"): Curve(((11, 7), (13, 9)), "edge"),
    Stroke((1, 2), (3, 4), "cut", 2.0): Stroke((11, 7), (13, 9), "cut", 2.0),
    Polygon(((1, 2), (3, 4), (5, 6)), "edge"): Polygon(((11, 7), (13, 9), (15, 11)), "edge"),
    Text(1, 2, "x", "ink", 13): Text(11, 7, "x", "ink", 13),
}


@pytest.mark.parametrize("mark", MARKS, ids=lambda mark: type(mark).__name__)
def test_a_picture_moves_with_all_that_is_on_it(mark: Mark) -> None:
    page = Picture("a page", 60, 40, (MarkGroup("o1", "x", (mark,)),))
    moved = page.moved(10, 5)
    assert [group.marks for group in moved.groups] == [(MARKS[mark],)]
    assert (moved.width, moved.height) == (60, 40)


def test_the_sheets_of_a_box_are_the_rectangles_below_its_words() -> None:
    back, front = Rect(4, 4, 30, 20, 9, "group"), Rect(0, 0, 30, 20, 9, "group")
    box = MarkGroup("g1", "x", (back, front, Text(15, 10, "x", "ink", 13), *pill("None", 30, 0, "cut", "on-cut")))
    assert box.sheets == (back, front)
    assert MarkGroup("e1", "x", (Curve(((0, 0), (0, 9)), "edge"), front)).sheets == ()


def test_a_pill_is_about_its_point_and_has_a_border_where_one_is_asked_for() -> None:
    plain, word = pill("target", 50, 20, "gradient", "on-gradient")
    assert isinstance(plain, Rect)
    assert isinstance(word, Text)
    assert (plain.x + plain.w / 2, plain.y + plain.h / 2, plain.line) == (50, 20, None)
    bordered, _ = pill("target", 50, 20, "paper", "soft", "soft")
    assert isinstance(bordered, Rect)
    assert (bordered.line, bordered.thickness) == ("soft", 1.0)
