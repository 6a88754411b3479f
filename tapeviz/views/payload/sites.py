"""Reading -> the places in the source that the payload points to, with the lines around them."""

from __future__ import annotations

from typing import Any

from tapeviz.events import Site
from tapeviz.views.reading import Reading

LINES_AROUND = 3


class NumberedSites:
    """The sites that cards point to, numbered as they come."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._numbers: dict[Site, int] = {}
        self._of_ids: dict[int, int] = {}

    def number(self, site: Site) -> int:
        """The number of a site."""
        return self._numbers.setdefault(site, len(self._numbers))

    def of_id(self, site: int | None) -> int | None:
        """The number of the log's site of that id: to hash a whole site takes longer than to look up an id."""
        if site is None:
            return None
        if site not in self._of_ids:
            self._of_ids[site] = self.number(self._reading.log.sites[site])
        return self._of_ids[site]

    def at(self, position: int | None) -> int | None:
        """The number of the site of the event at a position; None where there is none."""
        return None if position is None else self.of_id(getattr(self._reading.log.events[position], "site", None))

    def cards(self) -> list[dict[str, Any]]:
        """A card for each."""
        return [site_card(self._reading, site) for site in self._numbers]


def site_card(reading: Reading, site: Site) -> dict[str, Any]:
    """A place in the source with the lines around it; columns count characters."""
    lines = [line.rstrip("\r\n") for line in reading.log.source(site.filename)]
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
