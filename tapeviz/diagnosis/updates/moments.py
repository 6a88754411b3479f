"""Graph -> Findings about moments that an optimizer has kept of weights which the program has since made anew."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.op_kinds import FILLS
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import ParameterUpdated, Site, StateWritten
from tapeviz.events.summary import elements_of, has_same_elements
from tapeviz.graph import Graph
from tapeviz.phrases import holds_of
from tapeviz.source.places import site_at

_UNSEEN = "assign"
"""How a variable is written whose new number no op of the log has given: it is drawn, or read from somewhere."""
_Use: TypeAlias = tuple[int, int, int]
"""A parameter, where its numbers became others, and the step that goes by what was kept of those before."""
_FEW, _ALIKE = 4, 0.9
"""How many numbers at least tell whether they go along with others, and the correlation from which on they do."""


def of_old_weights(graph: Graph) -> Iterator[Finding]:
    """A parameter is drawn anew between two steps of an optimizer, the later of which uses what it has kept."""
    seen: dict[int, int] = {}  # a parameter, and the optimizer that has changed it
    anew: dict[int, int] = {}  # one that was drawn anew after that, and where
    found: dict[int, list[_Use]] = {}
    for position, event in enumerate(graph.log.events):
        match event:
            case StateWritten(tensor=tensor) if tensor in seen and _is_fresh(graph, event):
                anew[tensor] = position
            case ParameterUpdated(tensor=tensor, optimizer=optimizer):
                if tensor in anew and seen[tensor] == optimizer and _moments(event):
                    found.setdefault(optimizer, []).append((tensor, anew[tensor], position))
                anew.pop(tensor, None)
                seen[tensor] = optimizer
    for uses in found.values():
        yield _old(graph, uses)


def of_other_arrays(graph: Graph) -> Iterator[Finding]:
    """The same where a step returns new arrays: one has the name of another that was updated, and other numbers."""
    last: dict[tuple[int, str | None], tuple[int, int]] = {}  # an optimizer and a name: the last update, and of what
    found: dict[int, list[_Use]] = {}
    for position, event in graph.log.of_kind(ParameterUpdated).items():
        key = event.optimizer, graph.log.tensors[event.tensor].name
        before = last.get(key)
        is_other = before is not None and key[1] is not None and before[1] != event.tensor and _has_taken_steps(event)
        if before is not None and is_other and _is_unrelated(graph, *before, position, event.tensor):
            found.setdefault(event.optimizer, []).append((event.tensor, before[0], position))
        last[key] = position, event.tensor
    for uses in found.values():
        yield _of_others(graph, uses)


def of_an_earlier_step(graph: Graph) -> Iterator[Finding]:
    """All steps begin with the moments that the first one began with, though the weights go on."""
    steps: dict[tuple[int, int], list[tuple[int, ParameterUpdated]]] = {}  # by an optimizer and a parameter
    for position, event in graph.log.of_kind(ParameterUpdated).items():
        steps.setdefault((event.optimizer, event.tensor), []).append((position, event))
    found: dict[int, list[_Use]] = {}
    for (optimizer, tensor), updates in steps.items():
        pairs = list(pairwise(updates))
        if len(pairs) > 1 and all(_begins_alike(graph, *one, *other) for one, other in pairs):
            found.setdefault(optimizer, []).append((tensor, updates[0][0], updates[1][0]))
    for uses in found.values():
        yield _not_kept(graph, uses)


def _begins_alike(graph: Graph, earlier: int, one: ParameterUpdated, later: int, other: ParameterUpdated) -> bool:
    """Whether a step goes on from the weights of another, but by what its optimizer had kept before that."""
    step, value = dict(one.options).get("step"), graph.log.value
    if step is None or not _moments(one) or step != dict(other.options).get("step"):
        return False
    writes = graph.writes.get(one.tensor, ())
    following = bisect_right(writes, earlier)
    written = writes[following] if following < len(writes) else earlier
    goes_on = has_same_elements(value(one.tensor, written), value(one.tensor, later))
    stays = has_same_elements(value(one.tensor, earlier), value(one.tensor, later))
    states = zip(one.state, other.state, strict=True) if len(one.state) == len(other.state) else ()
    kept = [(a, b) for a, b in states if a is not None and b is not None]
    return goes_on and not stays and all(has_same_elements(value(a), value(b)) for a, b in kept)


def _has_taken_steps(event: ParameterUpdated) -> bool:
    return bool(dict(event.options).get("step")) and bool(_moments(event))


def _is_unrelated(graph: Graph, earlier: int, old: int, later: int, new: int) -> bool:
    """Whether the numbers of a tensor do not go along with those of another one, before its update or after it."""
    written = next((each for each in graph.writes.get(old, ()) if each > earlier), earlier)
    values = [elements_of(graph.log.value(tensor, at)) for tensor, at in ((old, earlier), (old, written), (new, later))]
    flat = [each.astype(np.float64).ravel() for each in values if each is not None]
    if (
        len(flat) < 3
        or len({each.size for each in flat}) > 1
        or flat[0].size < _FEW
        or any(not each.std() for each in flat)
    ):
        return False
    return max(abs(float(np.corrcoef(flat[2], each)[0, 1])) for each in flat[:2]) < _ALIKE


def _is_fresh(graph: Graph, event: StateWritten) -> bool:
    """Whether a write leaves nothing of what the whole tensor held, of which a view may be a part."""
    if event.value is None:
        return event.how.rstrip("_") in FILLS or event.how == _UNSEEN
    op, tensors = graph.op_of(event.value), graph.log.tensors
    return op is not None and op.op in FILLS and tensors[event.value].shape == tensors[event.tensor].shape


def _moments(event: ParameterUpdated) -> list[str]:
    """What an optimizer keeps of earlier gradients, besides the number of steps."""
    kept = zip(event.names, event.state, strict=True)
    return [name for name, tensor in kept if tensor is not None and name != "step"]


def _old(graph: Graph, uses: list[_Use]) -> Finding:
    tensor, written, step = uses[0]
    site, write = site_at(graph.log, written), graph.log.events[written]
    message = (
        f"{name_of(graph, tensor)} is made anew at {words(site)}, but the step at {words(site_at(graph.log, step))} "
        f"still uses `{_first_moment(graph, step)}`, which is of the gradients of the numbers before."
    )
    is_hint = isinstance(write, StateWritten) and write.how == _UNSEEN
    return replace(_stale(graph, uses, site, message), severity="hint" if is_hint else "warning")


def _of_others(graph: Graph, uses: list[_Use]) -> Finding:
    tensor, _, step = uses[0]
    site = site_at(graph.log, step)
    message = (
        f"{name_of(graph, tensor)} has other numbers at {words(site)} than the step before gave it, but "
        f"`{_first_moment(graph, step)}` is still of the gradients of those."
    )
    return _stale(graph, uses, site, message)


def _first_moment(graph: Graph, step: int) -> str:
    event = graph.log.events[step]
    return _moments(event)[0] if isinstance(event, ParameterUpdated) else ""


def _stale(graph: Graph, uses: list[_Use], site: Site | None, message: str) -> Finding:
    """What is found of the first of some parameters, and that it holds of the others, too."""
    tensor, before, step = uses[0]
    return Finding.at(
        graph.log,
        "stale_value",
        site,
        f"{message}{holds_of(len({each for each, _, _ in uses}) - 1)}",
        dialect_of(graph.log).say("forget what was kept"),
        before,
        step,
        symptom="wrong",
        severity="warning",
        source=tensor,
    )


def _not_kept(graph: Graph, uses: list[_Use]) -> Finding:
    tensor, _, step = uses[0]
    site = site_at(graph.log, step)
    message = (
        f"Each step at {words(site)} goes on from the {name_of(graph, tensor)} of the step before, but begins with "
        f"`{_first_moment(graph, step)}` as it was before the first: what is kept of earlier gradients is lost."
    )
    fix = "Hand each step the state that the one before has returned. If it is made anew for each, all is well."
    return replace(_stale(graph, uses, site, message), severity="hint", fix=fix)


RULES = (of_old_weights, of_other_arrays, of_an_earlier_step)
