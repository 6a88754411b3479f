"""Matches of two programs -> what is said of them: a table of all counterparts, and a sentence for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from tapeviz.diagnosis.comparing.matching import Match, ValueDifference
from tapeviz.phrases import listed
from tapeviz.views.page.compared_side import ComparedSide
from tapeviz.views.page.signs import WORDS, state_of
from tapeviz.views.words import numbers

MOST_ROWS = 200
"""Rows of the table; of more, those around the place where the programs part."""


def table(matches: Sequence[Match], sides: Sequence[ComparedSide], start: int | None) -> Iterator[str]:
    """The table in HTML, piece by piece; `start` is the index of the match at which the programs part."""
    rows = _rows(len(matches), start or 0)
    if not rows:
        yield "<p>Nothing was recorded.</p>"
        return
    names = *(side.name for side in sides), "Value", "Apart", "Gradient"
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    yield f'<table id="counterparts"><caption>Counterparts{_left_out(rows, len(matches))}</caption>'
    yield f"<thead><tr>{heads}</tr></thead><tbody>"
    for item in rows:
        yield from _row(matches[item], sides, item)
    yield "</tbody></table>"


def _rows(count: int, start: int) -> range:
    """The matches that the table has: all, or those around the one at `start`."""
    first = max(0, min(start - MOST_ROWS // 2, count - MOST_ROWS))
    return range(first, min(count, first + MOST_ROWS))


def _left_out(rows: range, count: int) -> str:
    """What the caption says of the matches that the table leaves out."""
    left = (rows.start, "before these"), (count - rows.stop, "after them")
    more = [f"{number:,} more {where}" for number, where in left if number]
    return "".join([", in the order of the programs", *([f"; {listed(more)} are left out"] if more else [])])


def _row(match: Match, sides: Sequence[ComparedSide], item: int) -> Iterator[str]:
    state = state_of(match)
    sign, told = WORDS[state]
    labels = [side.label(made) if (made := side.values[item]) else "" for side in sides]
    first, second = (f'<button type="button">{escape(label)}</button>' if label else "–" for label in labels)
    distance = "" if match.value.distance is None else numbers.rounded(match.value.distance, 2)
    gradient = _difference("same", "another", match.gradient)
    yield f'<tr data-item="{item}" class="{state}"><td>{first}</td><td>{second}</td>'
    yield f'<td><span class="pill {state}">{sign}</span> {told}</td><td>{distance}</td><td>{gradient}</td></tr>'


def verdict(match: Match, sides: Sequence[ComparedSide]) -> str:
    """A sentence on two counterparts, or on what has none: whether their values and gradients are the same."""
    state = state_of(match)
    if state == "alone":
        return f"No counterpart in {sides[0 if match.before is None else 1].name}."
    told = WORDS[state][1] if state != "unknown" else "counterparts, whose values were not kept"
    gradient = _difference("the same gradient", "another gradient", match.gradient)
    return "; ".join(filter(None, (f"{told[0].upper()}{told[1:]}{_distance_text(match.value)}", gradient))) + "."


def _difference(same: str, other: str, difference: ValueDifference) -> str:
    """Whether two gradients are the same; nothing where one of the two is not known."""
    return "" if difference.same is None else same if difference.same else f"{other}{_distance_text(difference)}"


def _distance_text(difference: ValueDifference) -> str:
    return f", {numbers.rounded(difference.distance, 2)} apart" if difference.distance else ""
