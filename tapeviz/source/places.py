"""A position in a log -> the lines of the user's program that it stands at, from the innermost call outward."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tapeviz.events import EventLog, Site


def site_at(log: EventLog, position: int | None) -> Site | None:
    """The site of the event at a position; None where there is none."""
    number = None if position is None else getattr(log.events[position], "site", None)
    return None if number is None else log.sites[number]


def calls(log: EventLog, position: int) -> Iterator[tuple[Site, int | None]]:
    """(line, scope it is in) of an event, then of the call it happened in, and so on outward."""
    site, scope = site_at(log, position), getattr(log.events[position], "scope", None)
    while site is not None:
        yield site, scope
        if scope is None:
            return
        call = log.scopes[scope]
        site, scope = (None if call.site is None else log.sites[call.site]), call.parent


def line_beside(log: EventLog, position: int, home: Site | None, shared: set[int | None]) -> Site | None:
    """The line of an event as seen from the function of `home`: its own, or the call that it happened in.

    If none of its calls is in that function, it is the outermost one that is not in `shared`, the scopes of what
    ran at home.
    """
    outward = list(calls(log, position))
    for site, _ in outward:
        if home is not None and (site.filename, site.function) == (home.filename, home.function):
            return site
    for site, scope in outward:
        if scope in shared:
            return site
    return outward[0][0] if outward else None


def same_line(one: Site | None, other: Site | None) -> bool:
    """Whether two sites are on one line."""
    return one is not None and other is not None and (one.filename, one.line) == (other.filename, other.line)


def whole_line(site: Site | None) -> Site | None:
    """The line that a site begins on, from end to end: two sites on one line of one function have the same."""
    return None if site is None else replace(site, end_line=site.line, column=0, end_column=0)
