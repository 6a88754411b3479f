"""Sites and scopes -> the line of the user's program to point at, and words for it."""

from __future__ import annotations

import os
import re
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


def words(site: Site | None) -> str:
    """A place as a reader finds it: `train.py, line 12`."""
    if site is None:
        return "a line that was not recorded"
    return f"{os.path.basename(site.filename)}, line {site.line}"


def at(site: Site | None) -> str:
    """The place after the name of an op; "" if its line is not known, as for ops of a backward pass."""
    return "" if site is None else f" at {words(site)}"


def origin(site: Site | None, how: str = "made") -> str:
    """How a tensor that came to be at a place is introduced."""
    return "made before the recording" if site is None else f"{how} at {words(site)}"


def once(message: str, site: Site | None) -> str:
    """A sentence that names the file of a site at its first line only.

    >>> where = Site("a.py", 3, 3, 0, 0, "f", "")
    >>> once("made at a.py, line 1, used at a.py, line 3", where)
    'made at a.py, line 1, used at line 3'
    """
    first = None if site is None else _mentions(site).search(message)
    return message if first is None else message[: first.end()] + within(message[first.end() :], site)


def within(message: str, site: Site | None) -> str:
    """A sentence that leaves the file of a site unnamed.

    >>> within("used at my_a.py, line 1, and at a.py, line 3", Site("a.py", 3, 3, 0, 0, "f", ""))
    'used at my_a.py, line 1, and at line 3'
    """
    return message if site is None else _mentions(site).sub("line", message)


def _mentions(site: Site) -> re.Pattern[str]:
    """The file of a site ahead of a line in it, and no other file whose name ends in that one's."""
    return re.compile(rf"(?<![\w.-]){re.escape(os.path.basename(site.filename))}, line")
