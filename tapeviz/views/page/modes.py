"""Both modes of one program -> Modes: what `tv.modes` gives, as a table, and as a page to step through."""

from __future__ import annotations

from typing import Any

from tapeviz.views.page import modes_page
from tapeviz.views.page.page_result import PageResult
from tapeviz.views.page.passes import BAR, DOT, BothModes
from tapeviz.views.page.show import in_cell, still
from tapeviz.views.reports.text import aligned
from tapeviz.views.words import numbers


class Modes(BothModes, PageResult):
    __doc__ = BothModes.__doc__
    _file = "modes.html"

    def __str__(self) -> str:
        tangents, cotangents = self.forward[0], self.reverse[0]
        seeds = f"tangent, {self.seed(tangents, DOT)}", f"cotangent, {self.seed(cotangents, BAR)}"
        head = ("op", "value", *seeds)
        rows = [
            (words, numbers.short_text(self.reading.log.value(tensor)), tangents.text(tensor), cotangents.text(tensor))
            for tensor, words, _ in self.rows()
        ]
        return "\n".join([self.sentence, "", *aligned([head, *rows])])

    __repr__ = __str__

    def html(self) -> str:
        """The page: the graph twice, and the table; HTML that needs no other file, no network and no kernel."""
        return modes_page.page(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """What a notebook shows: the page in a frame, which needs no kernel, and the table as text."""
        shown = in_cell(still(self.reading), self.reading.title, self.html())
        return {"text/html": shown, "text/plain": str(self)}
