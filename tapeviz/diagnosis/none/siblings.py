"""Question -> where the target reads what is held beside its source, as the weights are beside a bias that is left out.

A layer that forgets one of its variables reads the others: that is the line to change.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tapeviz.diagnosis.question import Question
from tapeviz.events import Site
from tapeviz.source.places import site_at

_LAST = re.compile(r"(.+)(\.\w+|\['[^\[\]']+'\])")
"""What holds an attribute or a key, and that; the places of a list say nothing of what belongs together."""


class SiblingRead(NamedTuple):
    """The last reading of what is beside a source: its position and line, and the names of all that is read."""

    position: int
    site: Site
    names: list[str]


def read_beside(question: Question) -> SiblingRead | None:
    """The last op on the way to the target that reads a sibling of a source that no op reads, or None."""
    holder = _holder(question, question.source)
    if holder is None or question.graph.links_from(question.source):
        return None
    by_holder = question.call.once(("by holder", question.target), lambda: _by_holder(question))
    found = by_holder.get(holder)
    if not found:
        return None
    position = max(found.values())
    site = site_at(question.log, position)
    return None if site is None else SiblingRead(position, site, [question.name(each) for each in found])


def _by_holder(question: Question) -> dict[str, dict[int, int]]:
    """What holds leaves -> those of them that the target reads, with the last op that does."""
    found: dict[str, dict[int, int]] = {}
    for link in question.call.links_to(question.target):
        if link.slot is None or link.tail not in question.graph.leaves or not question.call.passes(link):
            continue
        holder = _holder(question, link.tail)
        if holder is not None:
            last = found.setdefault(holder, {})
            last[link.tail] = max(last.get(link.tail, -1), link.position)
    return found


def _holder(question: Question, leaf: int) -> str | None:
    name = question.log.tensors[leaf].name
    match = None if name is None else _LAST.fullmatch(name)
    return None if match is None else match[1]
