"""Graph -> Findings about steps of optimizers that leave weights as they were, though there is a gradient."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall, finished_calls
from tapeviz.diagnosis.numbers.slips import epsilon
from tapeviz.diagnosis.updates.sums import steps_by_sums
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import GradientStored, OptimizerCreated, ParameterUpdated, StateWritten
from tapeviz.events.summary import elements_of
from tapeviz.graph import Graph
from tapeviz.phrases import counted, holds_of
from tapeviz.replay.update_rules import update_steps
from tapeviz.replay.written import updates_of
from tapeviz.source.places import site_at

_FEW_BITS = frozenset({"bfloat16", "float16"})
_MOST = 0.9
"""The share of a parameter's entries from which on it is said to stay as it was."""


@dataclass
class _Rounding:
    """What became of the updates of a parameter of few bits: how many entries were due to change, and did not."""

    dtype: str
    due: int = 0
    lost: int = 0
    largest: float = 0.0
    spacing: float = float("inf")
    step: int = 0


def rounded_away(graph: Graph) -> Iterator[Finding]:
    """In every step nearly all entries of a parameter of few bits stay: their updates are below half of its spacing."""
    found: dict[int, _Rounding] = {}
    classes = {each.optimizer: each.name for each in graph.log.of_kind(OptimizerCreated).values()}
    for position, event in graph.log.of_kind(ParameterUpdated).items():
        if _dtype(graph, event) in _FEW_BITS and event.optimizer in classes:
            _count(graph, position, event, classes[event.optimizer], found)
    stuck = {tensor: each for tensor, each in found.items() if each.due and each.lost >= _MOST * each.due}
    if stuck:
        yield _rounded(graph, stuck, len(found))


def _dtype(graph: Graph, event: ParameterUpdated) -> str | None:
    """The dtype of a parameter at a step, which is its gradient's; it may have been made with another."""
    return None if event.gradient is None else graph.log.tensors[event.gradient].dtype


def _count(graph: Graph, at: int, event: ParameterUpdated, optimizer: str, found: dict[int, _Rounding]) -> None:
    log = graph.log
    written = next((each.last for each in updates_of(log, event.tensor) if each.goes_by == at), None)
    if written is None or event.gradient is None:
        return
    before, after = (elements_of(log.value(event.tensor, each)) for each in (at, written))
    gradient = elements_of(log.value(event.gradient))
    state = {name: elements_of(log.value(each)) for name, each in zip(event.names, event.state, strict=True) if each}
    if before is None or after is None or gradient is None or any(each is None for each in state.values()):
        return
    known = {name: each for name, each in state.items() if each is not None}
    steps = update_steps(optimizer, before, gradient, known, dict(event.options))
    if not steps:
        return
    wide = before.astype(np.float64)
    update = np.abs(steps[-1].value - wide)
    due, one = update > 0, found.setdefault(event.tensor, _Rounding(_dtype(graph, event) or ""))
    one.due += int(due.sum())
    one.lost += int((due & (after == before)).sum())
    one.largest = max(one.largest, float(update.max(initial=0.0)))
    spacing = np.exp2(np.frexp(wide)[1] - 1) * epsilon(one.dtype)
    one.spacing = min(one.spacing, float(spacing.min(initial=np.inf, where=due & (wide != 0))))
    one.step = at


def _rounded(graph: Graph, stuck: dict[int, _Rounding], of: int) -> Finding:
    tensor, one = next(iter(stuck.items()))
    site, more = site_at(graph.log, one.step), holds_of(len(stuck) - 1)
    less = dialect_of(graph.log).say("compute in few bits")
    return Finding.at(
        graph.log,
        "update_lost",
        site,
        f"In the recorded steps at {words(site)}, {one.lost:,} of the {one.due:,} changes that entries of "
        f"{name_of(graph, tensor)} are due are rounded away: each is at most {one.largest:.1e}, and numbers of "
        f"{one.dtype} lie {one.spacing:.1e} or more apart there.{more}",
        f"Keep the weights in float32, and {less}; or raise the learning rate.",
        one.step,
        symptom="wrong",
        severity="warning" if 2 * len(stuck) >= of else "hint",
        source=tensor,
    )


def rate_of_zero(graph: Graph) -> Iterator[Finding]:
    """An optimizer takes several steps, all with a learning rate of zero; a schedule may well begin with one such."""
    rates: dict[int, set[float]] = {}
    for event in graph.log.of_kind(ParameterUpdated).values():
        rate = dict(event.options).get("lr")
        rates.setdefault(event.optimizer, set()).add(float(rate) if isinstance(rate, (int, float)) else np.nan)
    for number, optimizer in graph.optimizers.items():
        if rates.get(number) == {0.0} and len(optimizer.steps) > 1:
            yield _idle(graph, optimizer.steps)


def _idle(graph: Graph, steps: list[int]) -> Finding:
    site = site_at(graph.log, steps[-1])
    return Finding.at(
        graph.log,
        "update_lost",
        site,
        f"All {len(steps)} steps at {words(site)} have a learning rate of zero: they change nothing.",
        "Look at the schedule: it may round to zero, be stepped too rarely, or have come to its end.",
        *steps,
        symptom="wrong",
        severity="warning",
    )


def copy_is_trained(graph: Graph) -> Iterator[Finding]:
    """What an optimizer changes takes part in no target and is read by nothing; what does is written by nobody.

    So are weights of many bits that are never copied back to those that compute.
    """
    changed: dict[int, dict[int, int]] = {}  # an optimizer, and what it changes, with the last position
    for position, event in graph.log.of_kind(ParameterUpdated).items():
        changed.setdefault(event.optimizer, {})[event.tensor] = position
    calls = finished_calls(graph) if changed else []
    used = {each for call in calls for each in call.ancestors}
    trained = dict.fromkeys(event.tensor for event in graph.log.of_kind(GradientStored).values())
    trained |= dict.fromkeys(each.sum.variable for step in steps_by_sums(graph.log) for each in step.updates)
    began = calls[0].position or 0 if calls else 0
    written = {event.tensor for at, event in graph.log.of_kind(StateWritten).items() if at > began}
    left = [each for each in trained if each in used and each not in written]
    for number, updates in changed.items():
        optimizer = graph.optimizers.get(number)
        first = optimizer.steps[0] if optimizer is not None and optimizer.steps else 0
        unread = used.isdisjoint(updates) and not any(graph.links_from(each, first) for each in updates)
        if optimizer is not None and len(optimizer.steps) > 1 and unread:
            stay = [each for each in left if _is_trained_around(calls, each, optimizer.steps)]
            if stay:
                yield _copied(graph, updates, stay)


def _is_trained_around(calls: list[GradientCall], variable: int, steps: list[int]) -> bool:
    """Whether gradients are taken by one and the same variable before a step and after it."""
    began = [call.position or 0 for call in calls if variable in call.sources]
    return any(min(began) < step < max(began) for step in steps) if began else False


def thrown_away(graph: Graph) -> Iterator[Finding]:
    """A step gives new weights, and the next pass and the next step begin with the old ones: nothing reads the new.

    So it is where a step returns new arrays, and the program goes on with those that it had.
    """
    last: dict[tuple[int, str], tuple[int, int]] = {}  # an optimizer and a name, and the last update: position, tensor
    found: list[tuple[int, int]] = []
    for position, event in graph.log.of_kind(ParameterUpdated).items():
        name = graph.log.tensors[event.tensor].name
        if name is None:
            continue
        before = last.get((event.optimizer, name))
        if before is not None and before[1] != event.tensor and _begins_again(graph, *before, position, event.tensor):
            found.append((before[0], before[1]))
        last[event.optimizer, name] = position, event.tensor
    if found:
        yield _thrown_away(graph, *found[0], len({graph.log.tensors[tensor].name for _, tensor in found}))


def _begins_again(graph: Graph, earlier: int, old: int, later: int, new: int) -> bool:
    """Whether a tensor has at its update the numbers that another one had before its own, and not those after that."""
    written = next((each for each in graph.writes.get(old, ()) if each > earlier), None)
    if written is None or any(at > written for at, _ in graph.consumers(old)):
        return False
    before, after, again = (
        elements_of(graph.log.value(tensor, at)) for tensor, at in ((old, earlier), (old, written), (new, later))
    )
    if before is None or after is None or again is None:
        return False
    return np.array_equal(before, again) and not np.array_equal(before, after)


def _thrown_away(graph: Graph, step: int, tensor: int, number: int) -> Finding:
    """What is seen to be dropped is; what has a name may be read where no gradient is taken, as by who evaluates it."""
    site = site_at(graph.log, step)
    is_dropped = isinstance(Editor(graph.log).statement(site), ast.Expr)
    reads, all_well = ("", "") if is_dropped else (" that is seen", " If it is only looked at, all is well.")
    return Finding.at(
        graph.log,
        "update_lost",
        site,
        f"The step at {words(site)} gives a new {name_of(graph, tensor)}, but nothing{reads} reads it: the next pass "
        f"and the next step begin with the old one again.{holds_of(number - 1)}",
        f"Go on with what the step returns: `params = optax.apply_updates(params, updates)`.{all_well}",
        step,
        symptom="wrong",
        severity="warning" if is_dropped else "hint",
        source=tensor,
    )


def _copied(graph: Graph, updates: dict[int, int], left: list[int]) -> Finding:
    tensor, step = next(iter(updates.items()))
    site, variable = site_at(graph.log, step), dialect_of(graph.log).say("variable")
    return Finding.at(
        graph.log,
        "update_lost",
        site,
        f"The steps at {words(site)} change {name_of(graph, tensor)} and nothing reads what they write; the gradients "
        f"arrive at {counted(len(left), variable)} that nothing changes, {name_of(graph, left[0])} first.",
        dialect_of(graph.log).say("copy back"),
        step,
        symptom="wrong",
        severity="warning",
        source=left[0],
    )


RULES = (rounded_away, rate_of_zero, copy_is_trained, thrown_away)
