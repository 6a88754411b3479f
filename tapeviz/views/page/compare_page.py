"""Comparison -> one offline page: both graphs, what is the same in them, and a table of counterparts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from html import escape
from string import Template
from typing import Any

from tapeviz.diagnosis import Comparison
from tapeviz.diagnosis.comparing.made import Made
from tapeviz.diagnosis.comparing.matching import Match, Nearness
from tapeviz.diagnosis.wording.places import words
from tapeviz.events.summary import summary_of
from tapeviz.phrases import listed
from tapeviz.views import frontend
from tapeviz.views.drawing.marks import Picture
from tapeviz.views.drawing.picture import picture
from tapeviz.views.drawing.svg import img, svg
from tapeviz.views.folding.opening import opening
from tapeviz.views.page import sides
from tapeviz.views.page.signs import PARTS, WORDS, is_at, items_of, sign_of, signed, state_of
from tapeviz.views.payload.scene import scene_data
from tapeviz.views.reading import read
from tapeviz.views.scene import scene
from tapeviz.views.words import levels, numbers

MOST_ROWS = 200
"""Rows of the table; of more, those around the place where the programs part."""
MOST_OUTPUTS = 3
"""How many values of one op are shown."""
SIDES = ("before", "after")
DETAILS = ("Op", "Line", "Shape", "Value", "Gradient")
BODY = Template("""\
<h1>$sentence</h1>
<ul class="legend" aria-label="Signs">$legend</ul>
<div class="sides">$sides</div>
<div class="panel" role="group" aria-label="Selected">
<p id="status" role="status"></p>
<div class="detail" tabindex="0" role="group" aria-label="Both values"><table id="detail" hidden><thead><tr><td></td>\
$heads</tr></thead><tbody>$details</tbody></table></div>
</div>
<div class="tables"><div tabindex="0" role="group" aria-label="Counterparts">$table</div></div>
""")
SIDE = Template("""\
<section class="side" aria-labelledby="$side-head">
<h2 id="$side-head">$title</h2>
<div class="drawing" id="$side"></div>
</section>""")


class SideBySide:
    """Two programs on one page, with what the comparison knows of them."""

    def __init__(self, comparison: Comparison) -> None:
        self._names = comparison.sides
        self._matches = comparison.counterparts
        self._parting = comparison.parting
        self._readings = [read(log) for log in comparison.logs]
        self._made: list[list[Made | None]] = [
            [each.before for each in self._matches],
            [each.after for each in self._matches],
        ]
        self._unfolded = [self._opening(side) for side in (0, 1)]
        self._items = [
            items_of(reading.sketch, reading.graph, made)
            for reading, made in zip(self._readings, self._made, strict=True)
        ]

    @property
    def title(self) -> str:
        """What is beside what."""
        return " and ".join(self._names)

    def stills(self) -> str:
        """Both pictures, for where no page can be shown."""
        pictures = map(self._picture, (0, 1))
        return "\n".join(img(svg(each), each.title) for each in pictures)

    def page(self) -> str:
        """The page: HTML that needs no other file, no network and no kernel."""
        rows = self._rows()
        body = BODY.substitute(
            sentence=escape(self._sentence()),
            legend="".join(self._legend()),
            sides="".join(
                SIDE.substitute(side=name, title=escape(self._title(side))) for side, name in enumerate(SIDES)
            ),
            heads="".join(f'<th scope="col">{escape(name)}</th>' for name in self._names),
            details="".join(f'<tr><th scope="row">{each}</th><td></td><td></td></tr>' for each in DETAILS),
            table="".join(self._table(rows)),
        )
        return sides.page(self.title, "compare", body, self._data(), frontend.css())

    # ----- words -----

    def _sentence(self) -> str:
        if self._parting is None:
            return f"{self.title}: no results were kept to compare."
        if not self._parting:
            return f"{self.title}: the same results."
        steps = [f"{each.what.replace('`', '')} ({words(each.site)})" for each in self._parting]
        return f"{self.title}: values first differ at {' and '.join(dict.fromkeys(steps))}."

    def _legend(self) -> Iterator[str]:
        counts = Counter(map(state_of, self._matches))
        if self._parting:
            yield f'<li><span class="pill parts">{PARTS}</span> the first step that computes something else</li>'
        for state, (sign, told) in WORDS.items():
            if counts[state]:
                yield f'<li><span class="pill {state}">{sign}</span> {told}: {counts[state]:,}</li>'

    def _label(self, side: int, made: Made) -> str:
        """An op as its box says it, or a leaf by its name."""
        names = self._readings[side].names
        if made.op is None or made.position not in self._readings[side].graph.ops:
            name = names.tensor(made.tensors[0])
            return name if made.op is None else f"{name}.{made.op}"
        title, call = names.title(made.position), names.subtitle(made.position)
        return title + call if call.startswith("(") else f"{title} = {call}"

    def _details(self, side: int, made: Made | None, gradient: int | None) -> list[str] | None:
        """What the panel says of one of two counterparts, in the order of DETAILS."""
        if made is None:
            return None
        log = self._readings[side].log
        rows = [log.tensors[each] for each in made.tensors]
        line = "made before the recording" if made.site is None else f"{words(made.site)}: {made.site.text}"
        return [
            self._label(side, made),
            line,
            ", ".join(dict.fromkeys(f"{numbers.shape_text(row.shape)} {row.dtype}" for row in rows)),
            ", ".join(map(_value, made.values(log)[:MOST_OUTPUTS])),
            "" if gradient is None else _value(log.value(gradient)),
        ]

    def _verdict(self, match: Match) -> str:
        state = state_of(match)
        if state == "alone":
            return f"No counterpart in {self._names[0 if match.before is None else 1]}."
        told = WORDS[state][1] if state != "unknown" else "counterparts, whose values were not kept"
        gradient = _near("the same gradient", "another gradient", match.gradient)
        return "; ".join(filter(None, (f"{told[0].upper()}{told[1:]}{_apart(match.value)}", gradient))) + "."

    # ----- graphs -----

    def _title(self, side: int) -> str:
        return f"{self._names[side]}: {self._readings[side].title}"

    def _opening(self, side: int) -> list[int]:
        """What is unfolded at first: a small program; of a large one what opens, and the place where they part."""
        reading = self._readings[side]
        if len(reading.sketch.boxes) <= sides.MOST_BOXES:
            return list(range(len(reading.groups.rows)))
        unfolded = dict.fromkeys(opening(reading.places, reading.groups))
        position = self._parting[side].position if self._parting else None
        group = -1 if position is None else reading.groups.of_op.get(position, -1)
        while group >= 0:
            unfolded[group] = None
            group = reading.groups.rows[group].parent
        return list(unfolded)

    def _picture(self, side: int) -> Picture:
        """The graph as a picture with the signs on its boxes."""
        drawn = scene(self._readings[side], set(self._unfolded[side]))
        origin = self._parting[side] if self._parting else None
        signs = {node.id: sign_of(node, self._matched(side, node.boxes), origin) for node in drawn.nodes}
        shown = signed(picture(drawn), {name: sign for name, sign in signs.items() if sign is not None})
        return replace(shown, title=self._title(side))

    def _matched(self, side: int, boxes: Iterable[int]) -> list[Match]:
        """What some boxes stand for, of both programs."""
        items = dict.fromkeys(item for box in boxes for item in self._items[side][box])
        return [self._matches[item] for item in items]

    def _graph(self, side: int) -> dict[str, Any]:
        """A side of the page, as `frontend/graph/compared_graph.js` draws it."""
        reading = self._readings[side]
        origin = self._parting[side] if self._parting else None
        parting = next((at for at, box in enumerate(reading.sketch.boxes) if origin and is_at(box, origin)), None)
        return {
            "title": self._title(side),
            "scene": scene_data(reading) | {"unfolded": self._unfolded[side]},
            "items": self._items[side],
            "parting": parting,
        }

    # ----- the table, and what the page knows -----

    def _rows(self) -> range:
        """The matches that the table has: all, or those around the parting."""
        count, start = len(self._matches), self._start()
        first = max(0, min((start or 0) - MOST_ROWS // 2, count - MOST_ROWS))
        return range(first, min(count, first + MOST_ROWS))

    def _start(self) -> int | None:
        """The first match at which the programs part."""
        tensors = [step.tensor for step in self._parting or ()]
        for index, made in enumerate(zip(*self._made, strict=True)):
            if any(each and tensor in each.tensors for tensor, each in zip(tensors, made, strict=False)):
                return index
        return None

    def _table(self, rows: range) -> Iterator[str]:
        heads = "".join(f'<th scope="col">{escape(each)}</th>' for each in (*self._names, "Value", "Apart", "Gradient"))
        if not rows:
            yield "<p>Nothing was recorded.</p>"
            return
        yield f'<table id="counterparts"><caption>Counterparts{self._cut(rows)}</caption>'
        yield f"<thead><tr>{heads}</tr></thead><tbody>"
        for index in rows:
            match = self._matches[index]
            ends = [self._label(side, each) if each else "" for side, each in enumerate((match.before, match.after))]
            state = state_of(match)
            sign, told = WORDS[state]
            gradient = _near("same", "another", match.gradient)
            apart = "" if match.value.apart is None else numbers.rounded(match.value.apart, 2)
            first, second = (f'<button type="button">{escape(each)}</button>' if each else "–" for each in ends)
            yield f'<tr data-item="{index}" class="{state}"><td>{first}</td><td>{second}</td>'
            yield f'<td><span class="pill {state}">{sign}</span> {told}</td><td>{apart}</td><td>{gradient}</td></tr>'
        yield "</tbody></table>"

    def _cut(self, rows: range) -> str:
        """What is said of the matches that the table leaves out."""
        left = (rows.start, "before these"), (len(self._matches) - rows.stop, "after them")
        more = [f"{count:,} more {where}" for count, where in left if count]
        return "".join([", in the order of the programs", *([f"; {listed(more)} are left out"] if more else [])])

    def _data(self) -> dict[str, Any]:
        """What the script needs: both graphs, and of all that they stand for what the panel says."""
        return {
            "sides": [self._graph(side) for side in (0, 1)],
            "items": [
                {
                    "state": state_of(match),
                    "says": self._verdict(match),
                    "cells": [self._details(side, self._made[side][index], match.gradients[side]) for side in (0, 1)],
                }
                for index, match in enumerate(self._matches)
            ],
            "words": WORDS,
            "start": self._start(),
        }


def _value(value: Any) -> str:
    """A value on one line: its numbers, or its statistics."""
    short, summary = levels.strip(value, spread=False) or numbers.short_text(value), summary_of(value)
    if summary is None or not short.startswith("norm"):
        return short
    told = [short, f"mean {numbers.rounded(summary.mean, 4)}"]
    told.append(f"from {numbers.rounded(summary.min, 4)} to {numbers.rounded(summary.max, 4)}")
    odd = (summary.zeros, "zero"), (summary.nans, "NaN"), (summary.infs, "infinite")
    return ", ".join([*told, *(f"{count:,} {what}" for count, what in odd if count)])


def _near(same: str, other: str, near: Nearness) -> str:
    """Whether two gradients are the same; nothing where one of the two is not known."""
    return "" if near.same is None else same if near.same else f"{other}{_apart(near)}"


def _apart(near: Nearness) -> str:
    return f", {numbers.rounded(near.apart, 2)} apart" if near.apart else ""
