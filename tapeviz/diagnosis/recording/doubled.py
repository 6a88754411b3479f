"""Graph -> Findings about a term that two backward passes put into the same gradients."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall, finished_calls
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import BackwardStarted, GradientCleared, GradientStored
from tapeviz.graph import Graph


def counted_twice(graph: Graph) -> Iterator[Finding]:
    """A backward pass adds to gradients that an earlier one left, and goes through the earlier one's target again.

    Parts of a loss may well be sent back one by one; the sum of them all, after one of them, holds that one twice. What
    `torch.autograd.grad` returns is left in no tensor.
    """
    calls = {each.position: each for each in finished_calls(graph)}
    call: GradientCall | None = None
    earlier: dict[int, GradientCall] = {}  # by target
    kept_since: dict[int, int] = {}  # a tensor, and where the first of the passes began that its gradient is the sum of
    told = stores = False
    for position, event in enumerate(graph.log.events):
        match event:
            case BackwardStarted():
                earlier |= dict.fromkeys(call.targets, call) if call is not None and stores else {}
                call, told, stores = calls.get(position), False, False
            case GradientCleared():
                kept_since.pop(event.tensor, None)
            case GradientStored() if call is not None:
                stores = True
                since = kept_since.setdefault(event.tensor, call.position or 0)
                if told or not event.accumulated:
                    continue
                told = True
                again = [earlier[each] for each in earlier.keys() & call.reached]
                held = [each for each in again if since <= (each.position or 0) and _goes_through(each, call)]
                if held:
                    yield _twice(min(held, key=lambda each: each.position or 0), call, event.tensor, position)


def _goes_through(earlier: GradientCall, later: GradientCall) -> bool:
    """Whether the later target is, or is made of, the earlier one; what a gradient of that computed does not count."""
    began, marks = earlier.position or 0, earlier.graph.marks
    within = range(began, marks[bisect_right(marks, began)])
    links = [link for each in earlier.targets for link in earlier.graph.links_from(each) if link.position not in within]
    again = (link for link in links if link.head in later.reached and later.passes(link))
    return earlier.targets == later.targets or any(again)


def _twice(first: GradientCall, later: GradientCall, tensor: int, stored: int) -> Finding:
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
