"""Comparison -> one offline page: both graphs, what is the same in them, and a table of counterparts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html import escape
from string import Template
from typing import Any

from tapeviz.diagnosis import Comparison
from tapeviz.diagnosis.wording.places import words
from tapeviz.views import frontend
from tapeviz.views.drawing.svg import img, svg
from tapeviz.views.page import side_by_side
from tapeviz.views.page.compared_side import DETAILS, ComparedSide
from tapeviz.views.page.counterparts import table, verdict
from tapeviz.views.page.signs import PARTS, WORDS, state_of

IDS = ("before", "after")
"""Of the two sides, in the page."""
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
        self._matches = comparison.counterparts
        self._divergence = comparison.divergence
        made = [match.before for match in self._matches], [match.after for match in self._matches]
        self._sides = [
            ComparedSide(*side)
            for side in zip(comparison.sides, comparison.logs, made, self._divergence or (None, None), strict=True)
        ]

    @property
    def title(self) -> str:
        """What is beside what."""
        return " and ".join(side.name for side in self._sides)

    def stills(self) -> str:
        """Both pictures, for where no page can be shown."""
        pictures = [side.picture(self._matches) for side in self._sides]
        return "\n".join(img(svg(each), each.title) for each in pictures)

    def page(self) -> str:
        """The page: HTML that needs no other file, no network and no kernel."""
        body = BODY.substitute(
            sentence=escape(self._sentence()),
            legend="".join(self._legend()),
            sides="".join(
                SIDE.substitute(side=name, title=escape(side.title))
                for name, side in zip(IDS, self._sides, strict=True)
            ),
            heads="".join(f'<th scope="col">{escape(side.name)}</th>' for side in self._sides),
            details="".join(f'<tr><th scope="row">{each}</th><td></td><td></td></tr>' for each in DETAILS),
            table="".join(table(self._matches, self._sides, self._start())),
        )
        return side_by_side.page(self.title, "compare", body, self._data(), frontend.css())

    def _sentence(self) -> str:
        """Where the programs part, in words."""
        if self._divergence is None:
            return f"{self.title}: no results were kept to compare."
        if not self._divergence:
            return f"{self.title}: the same results."
        steps = [f"{each.what.replace('`', '')} ({words(each.site)})" for each in self._divergence]
        return f"{self.title}: values first differ at {' and '.join(dict.fromkeys(steps))}."

    def _legend(self) -> Iterator[str]:
        """The signs that are on the page, and how many of each."""
        counts = Counter(map(state_of, self._matches))
        if self._divergence:
            yield f'<li><span class="pill parts">{PARTS}</span> the first step that computes something else</li>'
        for state, (sign, told) in WORDS.items():
            if counts[state]:
                yield f'<li><span class="pill {state}">{sign}</span> {told}: {counts[state]:,}</li>'

    def _start(self) -> int | None:
        """The index of the first match at which the programs part."""
        for index, made in enumerate(zip(*(side.values for side in self._sides), strict=True)):
            ends = zip(self._divergence or (), made, strict=False)
            if any(each and step.tensor in each.tensors for step, each in ends):
                return index
        return None

    def _data(self) -> dict[str, Any]:
        """What the page's script needs: both graphs, and what the panel says of everything that was matched."""
        return {
            "sides": [side.graph() for side in self._sides],
            "items": [
                {
                    "state": state_of(match),
                    "says": verdict(match, self._sides),
                    "cells": [
                        side.details(item, gradient)
                        for side, gradient in zip(self._sides, match.gradients, strict=True)
                    ],
                }
                for item, match in enumerate(self._matches)
            ],
            "words": WORDS,
            "start": self._start(),
        }
