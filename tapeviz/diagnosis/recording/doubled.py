"""Graph -> Findings about a term that two backward passes put into the same gradients."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from tapeviz.diagnosis.call import Call, finished_calls
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import BackwardStarted, GradientCleared, GradientStored
from tapeviz.graph import Graph


def counted_twice(graph: Graph) -> Iterator[Finding]:
    """A backward pass adds to gradients that an earlier one left, and goes through the earlier one's target again.

    Parts of a loss may well be sent back one by one; the sum of them all, after one of them, holds that one twice.
    """
    calls = {each.position: each for each in finished_calls(graph)}
    left: dict[int, dict[int, Call]] = {}  # a tensor, and the passes that its gradient is the sum of
    begun: dict[int, int] = {}
    told: set[int] = set()
    for position, event in enumerate(graph.log.events):
        match event:
            case BackwardStarted():
                begun[event.run] = position
            case GradientCleared():
                left.pop(event.tensor, None)
            case GradientStored() if (call := calls.get(begun.get(event.run))) is not None:
                earlier = left.setdefault(event.tensor, {})
                if event.accumulated and event.run not in told:
                    told.add(event.run)
                    first = next((each for each in earlier.values() if _goes_through(each, call)), None)
                    if first is not None:
                        yield _twice(first, call, event.tensor, position)
                earlier[event.run] = call


def _goes_through(earlier: Call, later: Call) -> bool:
    """Whether the later target is, or is made of, the earlier one; what a gradient of that computed does not count."""
    began = earlier.position or 0
    if earlier is later:
        return False
    within = range(began, earlier.marks[bisect_right(earlier.marks, began)])
    links = [link for each in earlier.targets for link in earlier.graph.links_from(each) if link.position not in within]
    return earlier.targets == later.targets or any(link.head in later.reached for link in links)


def _twice(first: Call, later: Call, tensor: int, stored: int) -> Finding:
    graph, site = later.graph, later.site
    term, whole = (name_of(graph, each.targets[0]) for each in (first, later))
    other = "" if first.targets == later.targets else f", or here on what it adds to {term} alone"
    return Finding.at(
        graph.log,
        "accumulated_gradient",
        site,
        f"The backward pass at {words(site)} goes through {term} again, which the one at {words(first.site)} has put "
        f"into the gradient of {name_of(graph, tensor)} already: nothing clears it between, so `.grad` holds that term "
        "twice.",
        f"Call `backward` once, on {whole}{other}.",
        first.position,
        stored,
        symptom="wrong",
        severity="warning",
        source=tensor,
    )


RULES = (counted_twice,)
