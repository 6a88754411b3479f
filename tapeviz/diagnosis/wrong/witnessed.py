"""Graph -> Findings about gradient functions of the user's own that give another gradient than the framework has.

The recorder had the framework differentiate what the function computed. Many such functions mean to differ: they pass
the gradient of a step or a kink straight through, reverse or scale or clip it where the function itself changes
nothing, or take a smooth function in place of a hard one. Of these nothing is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.numbers.slip_words import RuleInput, off_by, swapped
from tapeviz.diagnosis.numbers.slips import (
    Array,
    alike,
    constant,
    entrywise,
    is_near,
    masked,
    other_draw,
    slip,
    tolerance,
)
from tapeviz.diagnosis.op_kinds import (
    CHOICES,
    COMPARISONS,
    COPIES,
    DRAWS,
    ENTRY_EXTREMES,
    KINKED,
    RESHAPING,
    STEPS,
    VIEWS,
    is_packages,
)
from tapeviz.diagnosis.own_rules import forgets_upstream, gradient_function
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import EventLog, Site, VjpWitnessed
from tapeviz.events.summary import elements_of
from tapeviz.graph import Graph, Op
from tapeviz.phrases import quoted
from tapeviz.source.gradient_functions import parameters
from tapeviz.source.places import site_at
from tapeviz.source.text import Texts

_MOVES = VIEWS | RESHAPING | COPIES | {"cast", "reverse", "roll", "real", "zeros_like", "ones_like", "data", "numpy_T"}
"""Ops after which the function is its input, or a part or a cast of it."""

_STEP_NAMES = "trunc mod truncatemod frac heaviside argmax argmin one_hot sgn fake_quantize_per_tensor_affine bucketize"
_STEPS = STEPS.union(_STEP_NAMES.split())
"""Ops that give one number for many: a rule of the user's has to take another derivative than theirs, which is zero."""

_HARD_NAMES = """
    max min sort median kthvalue cummax cummin fmax fmin prelu threshold hardsigmoid hardswish hardtanh softshrink
    hardshrink selu elu celu logical_and logical_or logical_not masked_select masked_scatter smooth_l1_loss huber_loss
    l1_loss
    """
_HARD = (KINKED | ENTRY_EXTREMES | CHOICES | COMPARISONS).union(_HARD_NAMES.split())
"""Ops with a kink, or that choose: what differs by more than a factor may be a smooth rule in place of a hard one."""

ITERATES = 8
"""How often an op runs in a function that may go on until it has converged: its rule need not go through all of it."""
FEW = 4
"""How many entries show a factor where the function has a kink."""


def witnessed(graph: Graph) -> Iterator[Finding]:
    """A gradient function gives for an input what is not the derivative of what the function computed."""
    texts = Texts(graph.log)
    for position, event in graph.log.of_kind(VjpWitnessed).items():
        op = graph.ops.get(event.op)
        if op is None or is_packages(op) or not _STEPS.isdisjoint(event.ran) or _only_moves(event):
            continue
        site = site_at(graph.log, event.op)
        if forgets_upstream(graph, texts, event.op):
            continue  # told as that
        event = replace(event, names=_named(event, op, texts, site))
        inputs = [each for each in inputs_off(graph, event) if not is_meant(graph, event, each)]
        if inputs:
            yield _finding(graph, texts, position, event, inputs)


def inputs_off(graph: Graph, event: VjpWitnessed, *, in_part: bool = False) -> Iterator[RuleInput]:
    """The inputs for which a rule gave something else than what is due, on purpose or not; `in_part`: if anywhere."""
    found = (_input(graph, event, slot, in_part) for slot in range(len(graph.ops[event.op].inputs)))
    return (each for each in found if each is not None)


def gives_nothing(graph: Graph, op: int, slot: int) -> bool:
    """Whether a rule gave zeros for an input of an op's line, where the derivative is not zero, and not on purpose.

    A function that gives its input on as it is, or a step, may be there to hold the gradient back.
    """
    line = site_at(graph.log, op)
    for event in graph.log.of_kind(VjpWitnessed).values():
        is_same = event.op in graph.ops and graph.ops[event.op].op == graph.ops[op].op
        is_hard = not _STEPS.isdisjoint(event.ran) or _only_moves(event)
        if not is_same or is_hard or site_at(graph.log, event.op) != line:
            continue
        pair = _values(graph, (event.rule[slot], event.witness[slot])) if slot < len(event.rule) else []
        if len(pair) == 2 and not pair[0].any() and pair[1].any():
            upstream = [each for each in _values(graph, event.upstream) if each.size == pair[0].size]
            return not _is_unchanged(graph, event, slot, pair[1], upstream, tolerance(event.narrowest))
    return False


def known(graph: Graph, event: VjpWitnessed) -> list[tuple[str, Array]]:
    """What a function reads and gives: by the name that it has there, the numbers."""
    op = graph.ops[event.op]
    ids = [(quoted(event.names[slot]), each) for slot, each in enumerate(op.inputs) if event.names[slot]]
    ids += [("its result", op.outputs[0])] if len(op.outputs) == 1 else []
    return kept(graph.log, ids, event.op)


def kept(log: EventLog, named: Iterable[tuple[str, int]], at: int) -> list[tuple[str, Array]]:
    """The elements that tensors have at a position, by the names that go with them; those that were kept."""
    found = ((name, elements_of(log.value(tensor, at))) for name, tensor in named)
    return [(name, value) for name, value in found if value is not None]


def judged(graph: Graph) -> set[str]:
    """The user's functions whose gradients could be held against what the framework has."""
    all_events = graph.log.of_kind(VjpWitnessed).values()
    events = [each for each in all_events if _STEPS.isdisjoint(each.ran) and not _estimates(each)]
    pairs = ((each.op, pair) for each in events for pair in zip(each.rule, each.witness, strict=True))
    both = {op for op, pair in pairs if len(found := _values(graph, pair)) == 2 and all(map(np.any, found))}
    return {graph.ops[op].op for op in both if op in graph.ops}


def _only_moves(event: VjpWitnessed) -> bool:
    return _MOVES.issuperset(event.ran) or _estimates(event)


def _estimates(event: VjpWitnessed) -> bool:
    """Whether a function draws random numbers: its rule may well be that of what it gives on average."""
    return not (event.redrew or DRAWS.isdisjoint(event.ran))


def _named(event: VjpWitnessed, op: Op, texts: Texts, site: Site | None) -> tuple[str, ...]:
    """What the function calls its inputs, by its text where the recorder was not told."""
    if any(event.names) or site is None:
        return event.names
    found = tuple(parameters(texts.of(site), op.op))
    return found if len(found) == len(event.names) else event.names


def _input(graph: Graph, event: VjpWitnessed, slot: int, in_part: bool) -> RuleInput | None:
    ids = event.rule[slot], event.witness[slot], event.nearby[slot]
    rule, witness, nearby = (None if each is None else elements_of(graph.log.value(each)) for each in ids)
    if nearby is None and _HARD.isdisjoint(event.ran):  # else it is not known where it has a kink
        nearby = witness
    if rule is None or witness is None or nearby is None:
        return None
    off = (other_draw if event.redrew else slip)(rule, witness, nearby, event.narrowest)
    for each in _values(graph, event.upstream) if off is None else ():
        off = off or entrywise(rule, witness, nearby, each, event.narrowest)
    if off is None and in_part and not is_near(rule, witness):
        off, _ = masked(rule, witness, nearby, event.narrowest)
    called = event.names[slot] or graph.log.tensors[graph.ops[event.op].inputs[slot]].name
    name = quoted(called) if called else f"input {slot + 1}"
    return None if off is None else RuleInput(slot, name, off, rule, witness)


# ----- what is meant -----


def is_meant(graph: Graph, event: VjpWitnessed, about: RuleInput) -> bool:
    """Whether a difference may well be on purpose."""
    within = tolerance(event.narrowest)
    upstream = [each for each in _values(graph, event.upstream) if each.size == about.rule.size]
    if _is_unchanged(graph, event, about.slot, about.witness, upstream, within):
        return True
    passes = any(_is_proportional(about.rule, each, within) for each in upstream)
    if about.off.kind == "varying" and not event.redrew and Counter(event.ran).most_common(1)[0][1] >= ITERATES:
        return True
    if _is_clipped(about):
        return True
    if event.redrew:
        return not about.witness.any()  # as of what is drawn by the input itself
    if _HARD.isdisjoint(event.ran):
        return False
    return about.off.kind == "varying" or about.off.count < FEW or passes


def _is_unchanged(
    graph: Graph, event: VjpWitnessed, slot: int, witness: Array, upstream: Iterable[Array], within: float
) -> bool:
    """Whether a function gives an input on as it is: it is there for its gradient. Else whether it may be that."""
    op = graph.ops[event.op]
    before, after = elements_of(graph.log.value(op.inputs[slot], event.op)), _values(graph, op.outputs)
    if before is None or not before.any() or not after:  # of zeros, what was computed does not show
        return any(alike(witness.ravel(), each.ravel(), within) for each in upstream)
    return any(each.size == before.size and alike(each.ravel(), before.ravel(), within / 8) for each in after)


def _is_proportional(rule: Array, upstream: Array, within: float) -> bool:
    """Whether a rule gave its upstream gradient, times one number."""
    with np.errstate(all="ignore"):
        return constant(np.where(upstream != 0, rule.reshape(upstream.shape) / upstream, np.nan), within) is not None


def _is_clipped(about: RuleInput) -> bool:
    """Whether a rule has cut what it gives down to a size: of each entry, or of all together to a round number."""
    rule, witness = about.rule, about.witness
    sizes = np.abs(rule[np.isfinite(rule) & (rule != 0)])
    factor = about.off.factor or 0j
    if sizes.size > 1 and np.ptp(sizes) <= 1e-3 * sizes.max() and np.ptp(np.abs(witness)) > 1e-3 * sizes.max():
        return bool((np.abs(witness[rule != 0]) >= 0.999 * sizes.max()).all())
    if sizes.size < 2 or factor.imag or not 0 < factor.real < 1 or _is_round(1 / factor.real, 2):
        return False
    return _is_round(float(np.linalg.norm(sizes)), 1)


def _is_round(number: float, digits: int) -> bool:
    return abs(float(f"{number:.{digits}g}") - number) <= 1e-4 * abs(number)


def _values(graph: Graph, ids: Iterable[int | None]) -> list[Array]:
    values = (None if each is None else elements_of(graph.log.value(each)) for each in ids)
    return [each for each in values if each is not None and each.dtype.kind in "fc"]


# ----- what is said -----


def _finding(graph: Graph, texts: Texts, position: int, event: VjpWitnessed, inputs: list[RuleInput]) -> Finding:
    op, log = graph.ops[event.op], graph.log
    site = gradient_function(graph, texts, event.op)
    within = tolerance(event.narrowest)
    told = swapped(inputs, within) or "; ".join(off_by(each, known(graph, event), within) for each in inputs)
    upstream = _values(graph, event.upstream)
    passed_on = all(any(_is_passed_on(each, other, within) for other in upstream) for each in inputs)
    names = " and ".join(each.name for each in inputs)
    ends = "" if site == site_at(log, event.op) else f", which ends at {words(site)},"
    again = "draws random numbers anew, as the function did before it, and " if event.redrew else ""
    keep = " Keep what the function has drawn, to multiply by that." if event.redrew else ""
    on = " It passes its upstream gradient on unchanged, which may be meant." if passed_on else ""
    return Finding.at(
        log,
        "custom_gradient_bug",
        site,
        f"The gradient function of {quoted(op.op)}{ends} {again}does not give the derivative of what "
        f"{quoted(op.op)} computed at {words(site_at(log, event.op))}: {told}.{on}",
        f"Return for {names} the upstream gradient times the derivative of what {quoted(op.op)} computes.{keep}",
        event.op,
        position,
        symptom="wrong",
        severity="hint" if passed_on else "warning",
    )


def _is_passed_on(about: RuleInput, upstream: Array, within: float) -> bool:
    return upstream.shape == about.rule.shape and alike(about.rule, upstream, within)
