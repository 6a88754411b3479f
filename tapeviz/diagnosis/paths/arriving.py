"""GradientCall, source -> the paths of the gradient to it from the targets: how many, where they begin, one of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import log10

from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.places import at, once, words
from tapeviz.events import Site
from tapeviz.graph import Link
from tapeviz.phrases import listed
from tapeviz.source.places import site_at, whole_line

MOST = 6
"""Paths that are shown; of more, the others are counted."""

HEAD, TAIL = 5, 4
"""Ops of a long path that are shown at its two ends."""


@dataclass(frozen=True)
class Beginning:
    """The paths that begin at one line with one op: how many uses of the source, how many paths, the shortest."""

    how: str
    site: Site | None
    uses: int
    paths: int
    links: tuple[Link, ...]


class Paths:
    """The paths that a call's gradients take; they are counted, not listed: their number grows exponentially."""

    def __init__(self, call: GradientCall) -> None:
        self._call = call
        self._counts = dict.fromkeys(call.targets, 1)
        self._lengths = dict.fromkeys(call.targets, 0)
        self._onward: dict[int, Link] = {}
        for link in self._links:
            self._extend(link)

    @cached_property
    def _links(self) -> list[Link]:
        """The links that the gradient passes, the last first: an op comes after those that made what it reads."""
        passing = self._call.graph.back(self._call.targets, self._call.passes)
        return sorted(passing, key=lambda link: -link.position)

    def _extend(self, link: Link) -> None:
        tail, head = link.tail, link.head
        self._counts[tail] = self._counts.get(tail, 0) + self._counts[head]
        length = self._lengths[head] + 1
        if tail not in self._lengths or length < self._lengths[tail]:
            self._lengths[tail], self._onward[tail] = length, link

    def count(self, tensor: int) -> int:
        """How many paths lead from a target to a tensor."""
        return self._counts.get(tensor, 0)

    def beginnings(self, source: int) -> list[Beginning]:
        """The uses of a source by the op and its line, in program order."""
        groups: dict[tuple[str, Site | None], list[Link]] = {}
        for link in reversed(self._links):
            if link.tail == source:
                groups.setdefault((link.how, whole_line(site_at(self._call.log, link.position))), []).append(link)
        return [self._beginning(links) for links in groups.values()]

    def _beginning(self, links: list[Link]) -> Beginning:
        first = min(links, key=lambda link: self._lengths[link.head])
        path = [first]
        while path[-1].head in self._onward:
            path.append(self._onward[path[-1].head])
        site = site_at(self._call.log, first.position)
        uses = len({link.position for link in links})
        return Beginning(first.how, site, uses, sum(self._counts[link.head] for link in links), tuple(path))


def described(question: Question) -> tuple[str, list[str]]:
    """Where the gradient reaches the source, as the end of a sentence; and the paths there, one line each."""
    paths = Paths(question.call)
    beginnings = paths.beginnings(question.source)
    if not beginnings:
        return "", []
    said = [f"`{question.dialect.op(each.how)}`{at(each.site)}{_times(each.uses)}" for each in beginnings]
    through = once(f", through {listed(said)}", beginnings[0].site)
    count = paths.count(question.source)
    lines = [_path_text(question, each) for each in beginnings[:MOST]]
    if len(beginnings) > MOST:
        rest = sum(each.paths for each in beginnings[MOST:])
        lines.append(f"… {amount(rest)} more of the {amount(count)} paths")
    return through + (f"; it is the sum over {amount(count)} paths" if count > 1 else ""), lines


def _path_text(question: Question, beginning: Beginning) -> str:
    count = f"   (the shortest of {amount(beginning.paths)} paths that begin there)" if beginning.paths > 1 else ""
    return " → ".join((question.source_name, *_steps(question, beginning.links))) + count


def _steps(question: Question, links: tuple[Link, ...]) -> Iterator[str]:
    """The ops of a path, with the names the user gave to what they make; a place where it is another than before."""
    hidden = range(HEAD, len(links) - TAIL) if len(links) > HEAD + TAIL + 1 else range(0)
    before: Site | None = None
    for index, link in enumerate(links):
        if index in hidden:
            if index == hidden.start:
                yield f"… {len(hidden):,} ops …"
            continue
        site = site_at(question.log, link.position)
        yield question.dialect.op(link.how) + _place(site, before)
        before = site
        is_end = index == len(links) - 1
        if is_end or question.is_named(link.head):
            yield question.name(link.head)


def _place(site: Site | None, before: Site | None) -> str:
    if site is None:
        return ""
    if before is not None and site.filename == before.filename:
        return "" if site.line == before.line else f" (line {site.line})"
    return f" ({words(site)})"


def _times(uses: int) -> str:
    return f" ({uses:,} times)" if uses > 1 else ""


def amount(number: int) -> str:
    """A count as a reader takes it in.

    >>> amount(1480), amount(2**5000)
    ('1,480', 'about 10^1505')
    """
    return f"{number:,}" if number < 10**7 else f"about 10^{round(log10(number))}"
