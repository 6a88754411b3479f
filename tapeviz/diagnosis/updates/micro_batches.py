"""Graph -> Findings about gradients that several passes add up between two steps: by what each of them is weighed.

The gradient of a mean over all examples is the sum of those of micro-batches, each weighed by its share of examples.
Losses are looked at that are means, with the constant factors that follow.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isclose

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.updates.gradients import events_around_steps, stored_in_parameters
from tapeviz.diagnosis.updates.losses import PassLoss, loss_of
from tapeviz.diagnosis.updates.sums import Term, steps_by_sums
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import (
    BackwardStarted,
    GradientCleared,
    GradientStored,
    OpRecorded,
    OpSkipped,
    OptimizerStepped,
    Site,
)
from tapeviz.graph import Graph
from tapeviz.phrases import listed
from tapeviz.source.places import same_line, site_at

_CLOSE = 1e-3
"""How far, relatively, a factor may be from what it is taken for: it may have been rounded to few bits."""


def weights_of_micro_batches(graph: Graph) -> Iterator[Finding]:
    """Passes of one line, each of a mean, whose sum a step uses though it is no mean of them all.

    What something else than a clip has changed a gradient by is not known: of such gradients nothing is said.
    """
    known: set[Site | None] = set()
    for terms, step in (*_accumulated(graph), *_summed(graph)):
        passes = [each.began for each in terms]
        site = site_at(graph.log, passes[0])
        losses = [each for each in (loss_of(graph, each) for each in terms) if each is not None]
        if site in known or len(losses) < len(passes):
            continue
        finding = (
            _divided_twice(graph, passes, losses)
            or _not_divided(graph, passes, losses, step)
            or _weighed_alike(graph, passes, losses, step)
        )
        if finding is not None:
            known.add(site)
            yield finding


def _accumulated(graph: Graph) -> Iterator[tuple[list[Term], int]]:
    """The passes of one line whose gradients a step uses the sum of, and the step; without those of an earlier step."""
    began = 0
    owner, overwrites = stored_in_parameters(graph.log)
    sums: dict[int, list[int]] = {}  # a parameter, and the passes that its gradient is the sum of
    for position, event in events_around_steps(graph.log):
        match event:
            case BackwardStarted():
                began = position
            case GradientStored(tensor=tensor):
                if not event.accumulated:
                    sums.pop(tensor, None)
                sums.setdefault(tensor, []).append(began)
            case GradientCleared(tensor=tensor):
                sums.pop(tensor, None)
            case OpSkipped() | OpRecorded() if position in overwrites and not overwrites[position].is_measured:
                for _, after in overwrites[position].gradients:
                    sums.pop(owner[after], None)
            case OptimizerStepped(parameters=parameters):
                passes = max((sums.pop(each, []) for each in parameters), key=len, default=[])
                if _are_of_one_line(graph, passes):
                    yield list(map(Term, passes)), position


def _summed(graph: Graph) -> Iterator[tuple[list[Term], int]]:
    """The same where the program itself adds gradients up."""
    used: set[int] = set()
    for step in steps_by_sums(graph.log):
        terms = max((each.sum.terms for each in step.updates), key=len)
        passes = [each.began for each in terms]
        if _are_of_one_line(graph, passes) and used.isdisjoint(passes):
            yield list(terms), step.position
        used.update(passes)


def _are_of_one_line(graph: Graph, passes: list[int]) -> bool:
    site = site_at(graph.log, passes[0]) if len(passes) > 1 else None
    return len(passes) > 1 and all(same_line(site, site_at(graph.log, each)) for each in passes)


def _is(factor: float, due: float) -> bool:
    return isclose(factor, due, rel_tol=_CLOSE)


def _divided_twice(graph: Graph, passes: list[int], losses: list[PassLoss]) -> Finding | None:
    """Each loss is divided by the number of passes at one line, and again at another."""
    number = len(passes)
    divided = [at for factor, at in losses[0].factors if _is(factor, 1.0 / number)]
    if len(divided) < 2 or not all(_is(each.weight, 1.0 / number ** len(divided)) for each in losses):
        return None
    again, first = (site_at(graph.log, each) for each in divided[:2])
    return Finding.at(
        graph.log,
        "scaled_gradient_used",
        again,
        f"The loss of each of the {number} passes at {words(site_at(graph.log, passes[0]))} is divided by {number} at "
        f"{words(first)}, and again at {words(again)}: the gradients are {1.0 / number:.3g} times those of the mean "
        "over all examples.",
        "Divide by the number of micro-batches once. Trainers that accumulate gradients do it themselves.",
        *divided[:2],
        passes[0],
        symptom="wrong",
        severity="warning",
    )


def _not_divided(graph: Graph, passes: list[int], losses: list[PassLoss], step: int) -> Finding | None:
    """Each loss is a mean, and their sum is used."""
    number, site = len(passes), site_at(graph.log, passes[0])
    if not all(_is(each.weight, 1.0) for each in losses):
        return None
    return Finding.at(
        graph.log,
        "scaled_gradient_used",
        site,
        f"The {number} passes at {words(site)} add up the gradients of {number} means, and the step at "
        f"{words(site_at(graph.log, step))} uses the sum: it is {number} times the gradient of their mean.",
        f"Divide each loss by {number} before its pass, as `(loss / {number}).backward()`. If the sum is meant, as "
        "over several tasks, all is well.",
        *passes,
        step,
        symptom="wrong",
        severity="hint",
    )


def _weighed_alike(graph: Graph, passes: list[int], losses: list[PassLoss], step: int) -> Finding | None:
    """The means of unequal micro-batches all have the same weight."""
    rows = [each.rows for each in losses if each.rows is not None]
    total, number, site = sum(rows), len(passes), site_at(graph.log, passes[0])
    if len(rows) < number or len(set(rows)) == 1 or not all(_is(each.weight, 1.0 / number) for each in losses):
        return None
    return Finding.at(
        graph.log,
        "scaled_gradient_used",
        site,
        f"The {number} passes at {words(site)} are of means over {listed([str(each) for each in rows])} rows, each "
        f"weighed by 1/{number}, where {listed([f'{each}/{total}' for each in rows])} are due: the examples of a small "
        f"micro-batch count for more in the step at {words(site_at(graph.log, step))}.",
        f"Send back the sum over each micro-batch, divided by the number of all examples, {total}. If each micro-batch "
        "is to count alike, all is well.",
        *passes,
        step,
        symptom="wrong",
        severity="hint",
    )


RULES = (weights_of_micro_batches,)
