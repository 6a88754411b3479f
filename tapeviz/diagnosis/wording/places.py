"""A line of the user's program -> words for it."""

from __future__ import annotations

import os
import re
from functools import lru_cache

from tapeviz.events import Site


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
    first = None if site is None else _mentions(site.filename).search(message)
    return message if first is None else message[: first.end()] + within(message[first.end() :], site)


def within(message: str, site: Site | None) -> str:
    """A sentence that leaves the file of a site unnamed.

    >>> within("used at my_a.py, line 1, and at a.py, line 3", Site("a.py", 3, 3, 0, 0, "f", ""))
    'used at my_a.py, line 1, and at line 3'
    """
    return message if site is None else _mentions(site.filename).sub("line", message)


@lru_cache(maxsize=256)
def _mentions(filename: str) -> re.Pattern[str]:
    """A file ahead of a line in it, and no other file whose name ends in that one's."""
    return re.compile(rf"(?<![\w.-]){re.escape(os.path.basename(filename))}, line")
