"""Run, source -> the layers between the source and the target, and the norm of the gradient at each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from math import isfinite, log10
from typing import Any, NamedTuple, TypeGuard

from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.op_kinds import JOINS, VIEWS
from tapeviz.events import Site
from tapeviz.graph import Link
from tapeviz.replay import Contribution
from tapeviz.source.places import site_at

DECADES = 4.0
"""Orders of magnitude between the gradients of the last and the first layer that are out of range."""


def has_logarithm(norm: float | None) -> TypeGuard[float]:
    """Whether a norm is known, and neither 0 nor infinite nor NaN."""
    return norm is not None and norm > 0 and isfinite(norm)


@dataclass(frozen=True)
class PathLayer:
    """One layer on a path: its first op, the tensor it begins with, and the norm of the gradient that leaves it there.

    `calls` are the names of the calls it is in, the outermost first, as those of a model and of a layer in it.
    """

    position: int
    site: Site | None
    calls: tuple[str, ...]
    tensor: int
    norm: float | None


@dataclass(frozen=True)
class LayeredPath:
    """The layers from the target back to a source, nearest the target first.

    `nothing` says how many of the last there are through which nothing comes, of a source that has a gradient all the
    same: what came well through all others was multiplied by zero there, as by the first state of a recurrent net.
    """

    source: int
    target: int
    layers: tuple[PathLayer, ...]
    nothing: int = 0

    @property
    def decay(self) -> float | None:
        """By what factor a layer changes the norm, in the geometric mean; None where too little is known."""
        known = [(at, each.norm) for at, each in enumerate(self.layers) if has_logarithm(each.norm)]
        if len(known) < 2:
            return None
        (first, before), (last, after) = known[0], known[-1]
        return float(10 ** ((log10(after) - log10(before)) / (last - first)))

    @property
    def began(self) -> float | None:
        """The norm at the first layer where it is more than nothing."""
        return next((each.norm for each in self.layers if has_logarithm(each.norm)), None)

    @property
    def ended(self) -> float | None:
        """The norm at the last layer that the gradient came through."""
        return self._passed[-1].norm if self._passed else None

    @property
    def first_out(self) -> int | None:
        """The first layer, going back, from which on the gradient is zero, not finite, or `DECADES` away from where it
        began.

        One that is left behind does not count: the gradient went around it, as by a residual connection.
        """
        began, first = self.began, None
        if began is None:
            return next((at for at, layer in enumerate(self._passed) if layer.norm is not None), None)
        for at, layer in enumerate(self._passed):
            if layer.norm is not None and _is_near(layer.norm, began):
                first = None
            elif layer.norm is not None and first is None:
                first = at
        return first

    @property
    def goes_around(self) -> bool:
        """Whether the farther half of the layers meets nearly as much as the nearer one, though the last leaves little.

        Then it does not shrink from layer to layer: what carries the state of a recurrence goes around the layers, as
        around the stages of a solver's steps, and the path ends in the last of those.
        """
        norms = [log10(each.norm) for each in self._passed if has_logarithm(each.norm)]
        if len(norms) < 2 or norms[-1] >= norms[0]:
            return False
        half = len(norms) // 2
        return max(norms[1:half], default=norms[0]) - max(norms[half:]) < DECADES / 4

    @property
    def _passed(self) -> tuple[PathLayer, ...]:
        return self.layers[: len(self.layers) - self.nothing]


def _is_near(norm: float, began: float) -> bool:
    return has_logarithm(norm) and abs(log10(norm) - log10(began)) < DECADES


def layered_path(call: GradientCall, source: int) -> LayeredPath:
    """The layers on the longest path that the gradient took to a source."""
    return call.once(("layered path", source), lambda: _layered_path(call, source))


def _layered_path(call: GradientCall, source: int) -> LayeredPath:
    arrived: dict[tuple[int, int | None], Contribution] = {
        (step.op, each.slot): each for step in call.run.steps for each in step.contributions
    }
    totals = {each.tensor: each.total for each in arrived.values()}
    layers = []
    links = _without_pieces(list(call.numbers.longest_paths.links(source)))
    for group in reversed(list(_grouped(call, links))):
        first = group[0]
        scope = getattr(call.log.events[first.position], "scope", None)
        # What many layers share gets a sum; what this one gives to it is a part of that.
        shared = call.graph.producer(first.tail) is None
        share = arrived[first.position, first.slot].cotangent if shared else totals[first.tail]
        layers.append(
            PathLayer(
                first.position,
                site_at(call.log, first.position),
                tuple(call.log.scopes[each].name for each in call.log.outward(scope))[::-1],
                first.tail,
                call.numbers.norm(share),
            )
        )
    target = links[-1].head if links else call.targets[0]
    arrives = call.numbers.norm(totals.get(source)) != 0.0
    return LayeredPath(source, target, tuple(layers), len(_nothing_at_the_end(layers)) if arrives else 0)


def _nothing_at_the_end(layers: list[PathLayer]) -> set[object]:
    """The last layers that the gradient is zero at, of one pass of a loop: a cell may be several, by its calls."""
    found: set[object] = set()
    for layer in reversed(layers):
        if layer.norm != 0.0 or (layer.site, layer.calls) in found:
            break
        found.add((layer.site, layer.calls))
    return found


def deepest(call: GradientCall, sources: Iterable[int]) -> LayeredPath | None:
    """The longest of the paths to some sources."""
    source = max(sources, key=call.numbers.longest_paths.length, default=None)
    return None if source is None else layered_path(call, source)


def _without_pieces(links: list[Link]) -> list[Link]:
    """A path without the ops at the source that only take it apart: there the gradients of all pieces are one.

    So it is with the steps of a sequence: what arrives at the first of them is lost in what arrives at the others.
    """
    taken_apart = takewhile(lambda link: link.how in VIEWS | JOINS, links)
    return links[len(list(taken_apart)) :] or links


class _Step(NamedTuple):
    """A link by where it is in the program: its line and scope, and what tells a further pass from the first."""

    link: Link
    line: tuple[str, int] | None
    scope: int | None
    kind: tuple[int | None, str]


def _grouped(call: GradientCall, links: list[Link]) -> Iterator[list[Link]]:
    """The links of one layer together: one pass of a loop; outside loops, one line; and one layer of a model."""
    steps = [_step(call, link) for link in links]
    passes = Counter(each.kind for each in steps)
    layer: list[_Step] = []
    for step in steps:
        if layer and (step.kind in {each.kind for each in layer} or not _is_joined(call, layer[-1], step, passes)):
            yield [each.link for each in layer]
            layer = []
        layer.append(step)
    if layer:
        yield [each.link for each in layer]


def _step(call: GradientCall, link: Link) -> _Step:
    event, site = call.log.events[link.position], site_at(call.log, link.position)
    line = None if site is None else (site.filename, site.line)
    return _Step(link, line, getattr(event, "scope", None), (getattr(event, "site", None), link.how))


def _is_joined(call: GradientCall, before: _Step, step: _Step, passes: Counter[Any]) -> bool:
    """Whether a step goes on with the layer of the one before: on its line, or on another of the same loop."""
    inside = _is_within(call, before.scope, step.scope) or _is_within(call, step.scope, before.scope)
    return inside and (before.line == step.line or min(passes[before.kind], passes[step.kind]) > 1)


def _is_within(call: GradientCall, scope: int | None, outer: int | None) -> bool:
    """Whether a call is another one, or happened in it."""
    return outer is None or outer in call.log.outward(scope)
