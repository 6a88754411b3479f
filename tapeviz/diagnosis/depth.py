"""GradientCall -> Findings about gradients that shrink or grow from layer to layer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import takewhile
from math import isfinite, log10

import numpy as np

from tapeviz.diagnosis.edits.formulas import residual, scaled_down
from tapeviz.diagnosis.finding import Finding, Symptom
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.numbers.layers import DECADES, deepest, layered_path
from tapeviz.diagnosis.op_kinds import JOINS, PIECES, VIEWS
from tapeviz.diagnosis.paths.chains import Chains
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.places import words
from tapeviz.graph import Link
from tapeviz.source.places import calls, site_at

REPEATS = 5
"""A line that runs at least this often on the path counts as a layer of a deep chain."""

OVER_TIME = (
    "What all steps share learns next to nothing from those far back. Where they matter, take a gated cell (LSTM, GRU) "
    "whose forget gate starts open (a bias of 1), attention, or fewer steps."
)
"""What to do where the layers are the steps of a recurrence."""

GATED = ("lstm", "gru")
"""What cells with gates are called."""

OVER_GATES = (
    "What all steps share learns little from those far back. The cell has gates already: start its forget gate open (a "
    "bias of 1, or more for longer memories), or take attention, or fewer steps."
)
"""The same, where the recurrence is one of such cells."""


def out_of_range(call: GradientCall, sources: list[int]) -> Iterator[Finding]:
    """The gradient shrinks or grows geometrically through a line that runs many times on the path to a source."""
    norms = {source: norm for source in sources if (norm := _norm(call, call.run.gradient(source))) > 0}
    if not norms:
        return
    cancelling = _Cancelling(call, max(norms.values()))
    norms = {source: norm for source, norm in norms.items() if not cancelling.meets(source, norm)}
    least, most = min(norms, key=norms.__getitem__), max(norms, key=norms.__getitem__)
    if log10(norms[most]) - log10(norms[least]) >= DECADES:
        for far, near in ((least, most), (most, least)):
            if _is_as_deep(call, far, near) and _goes_on(call, norms, far, near):
                there = Question(call, near).source_name
                yield from _finding(call, far, norms[far], norms[near], f"at {there}")
    else:
        found = deepest(call, norms)
        is_out = found is not None and found.first_out is not None and not found.goes_around
        if found is not None and is_out and found.began is not None:
            yield from _finding(call, found.source, found.ended or 0.0, found.began, "where it begins")


class _Cancelling:
    """The gradients of a call that are small only because their parts cancel in one op near the source.

    Examples are the bias of the keys in attention, which shifts all scores of a softmax alike, and what is added to a
    whole batch before it is normalised.
    """

    def __init__(self, call: GradientCall, strongest: float) -> None:
        self._call = call
        self._small = log10(strongest) - DECADES
        self._chains = Chains(self._onward)

    def meets(self, source: int, norm: float) -> bool:
        """Whether such an op is on the longest path to a source whose gradient has this norm."""
        link = self._link(source)
        if link is not None and self._goes_on(norm, self._arrives(link.head)):
            last = self._chains.end(link.head)
            norm, link = self._arrives(last), self._link(last)
        before = 0.0 if link is None else self._arrives(link.head)
        return self._is_small(norm) and before > 0 and _leaps(before, norm)

    def _onward(self, tensor: int) -> int | None:
        link = self._link(tensor)
        goes_on = link is not None and self._goes_on(self._arrives(tensor), self._arrives(link.head))
        return link.head if link is not None and goes_on else None

    def _goes_on(self, norm: float, before: float) -> bool:
        """Whether a small gradient was nearly as small before the op that it comes from."""
        return self._is_small(norm) and before > 0 and not _leaps(before, norm)

    def _is_small(self, norm: float) -> bool:
        return log10(norm) <= self._small

    def _link(self, tensor: int) -> Link | None:
        return self._call.numbers.longest_paths.link(tensor)

    def _arrives(self, result: int) -> float:
        """The norm of the gradient that arrives at the op which made a tensor."""
        maker = self._call.graph.producer(result)
        step = None if maker is None else self._call.numbers.step_of.get(maker)
        return 0.0 if step is None else _norm(self._call, step.upstream[0])


def _leaps(before: float, norm: float) -> bool:
    return log10(before) - log10(norm) >= DECADES


def _goes_on(call: GradientCall, norms: dict[int, float], far: int, near: int) -> bool:
    """Whether sources deeper than `far` have gradients out of range of that of `near`, too.

    If they have not, depth is not the cause: queries and keys, for example, get small gradients in any layer where the
    softmax is flat.
    """
    away = log10(norms[far]) - log10(norms[near])
    depth = _depth(call, far)[0]
    sound = (each for each, norm in norms.items() if (log10(norm) - log10(norms[near])) / away < 0.5)
    return all(_depth(call, each)[0] <= depth or _is_as_deep(call, far, each) for each in sound)


def _is_as_deep(call: GradientCall, far: int, near: int) -> bool:
    """Whether a source is at least as far from the target as another.

    What all layers share counts as being as near as the last layer: its longest path leads through the first layer and
    may be an op or two longer than that of the first layer's own weights.
    """
    if _depth(call, far) >= _depth(call, near):
        return True
    if _is_shared(call, far) or not _is_shared(call, near):
        return False
    layers = len(layered_path(call, near).layers)
    more = call.numbers.longest_paths.length(near) - call.numbers.longest_paths.length(far)
    return layers >= REPEATS and more * layers < call.numbers.longest_paths.length(near)


def _depth(call: GradientCall, source: int) -> tuple[int, bool]:
    """Distance of a source from the target, as a sort key; at equal distance a source that is not shared is farther."""
    return call.numbers.longest_paths.length(source), not _is_shared(call, source)


def _is_shared(call: GradientCall, source: int) -> bool:
    """Whether this backward pass met several reads of a leaf, as of the weights of a recurrence.

    Reads in other training steps do not count, nor do those that take a piece of the leaf.
    """
    graph = call.graph
    read = (position for position, _ in graph.consumers(source) if position in call.numbers.step_of)
    whole = [position for position in read if graph.ops[position].op not in PIECES]
    return len(whole) > 1 and graph.producer(source) is None


def _is_sequence(call: GradientCall, source: int) -> bool:
    """Whether a source is split into many pieces, as a sequence into its steps, for layers that share their weights."""
    graph, links = call.graph, list(call.numbers.longest_paths.links(source))
    taken = takewhile(lambda link: link.how in VIEWS | JOINS, links)
    read = [graph.ops[position] for link in taken for position, _ in graph.consumers(link.tail)]
    return sum(len(op.outputs) for op in read if op.op in PIECES) >= REPEATS and _is_recurrent(call, source)


def _is_recurrent(call: GradientCall, source: int) -> bool:
    """Whether the layers between a source and the target share a variable."""
    graph, links = call.graph, call.numbers.longest_paths.links(source)
    beside = {each for link in links if link.position in graph.ops for each in graph.ops[link.position].inputs}
    return any(graph.is_variable(each) and _uses(call, each) >= REPEATS for each in beside - {source})


def _uses(call: GradientCall, tensor: int) -> int:
    """How many ops of this backward pass read a tensor."""
    return sum(position in call.numbers.step_of for position, _ in call.graph.consumers(tensor))


def _norm(call: GradientCall, cotangent: int | None) -> float:
    """The norm of a cotangent; 0 where it is not known or not finite."""
    norm = call.numbers.norm(cotangent)
    return norm if norm is not None and isfinite(norm) else 0.0


def _factors(call: GradientCall, source: int) -> dict[int, list[float]]:
    """By the line of the first op there, how much each of its VJPs on the path changed the gradient's norm."""
    found: defaultdict[object, list[float]] = defaultdict(list)
    first: dict[object, int] = {}
    for link in call.numbers.longest_paths.links(source):
        step = call.numbers.step_of.get(link.position)
        if step is None or link.slot is None:
            continue
        before = _norm(call, step.upstream[0])
        after = next((_norm(call, each.cotangent) for each in step.contributions if each.slot == link.slot), 0.0)
        line = (site_at(call.log, link.position), link.how)
        first.setdefault(line, link.position)
        if before > 0:
            found[line].append(after / before)
    return {first[line]: factors for line, factors in found.items()}


def _is_gated(call: GradientCall, position: int) -> bool:
    """Whether an op is a cell with gates, or ran in one."""
    log = call.log
    scopes = (log.scopes[scope].name for _, scope in calls(log, position) if scope is not None)
    return any(kind in name.lower() for name in (call.graph.ops[position].op, *scopes) for kind in GATED)


def _finding(call: GradientCall, source: int, norm: float, other: float, there: str) -> Iterator[Finding]:
    """The finding about a source whose gradient is out of range, if a repeated line is the cause."""
    repeated = {position: each for position, each in _factors(call, source).items() if len(each) >= REPEATS}
    found, shrinks = layered_path(call, source), norm < other
    medians = {position: float(np.median(each)) for position, each in repeated.items()}
    shares = {position: len(repeated[position]) * log10(each or 1.0) for position, each in medians.items()}
    position = (min if shrinks else max)(shares, key=shares.__getitem__, default=None)
    if position is None or abs(shares[position]) < DECADES / 2:
        return
    question, site = Question(call, source), site_at(call.log, position)
    symptom: Symptom = "vanishing" if shrinks else "exploding"
    verb = "shrinks" if shrinks else "grows"
    rate = "" if found.decay is None else f", {found.decay:.2g} times as large from layer to layer"
    layer = 0 if found.first_out is None else found.first_out + 1
    shared = _is_shared(call, source) or _is_sequence(call, source)
    over_time = shared or _is_recurrent(call, source)
    end = f"where {question.source_name} is read first" if shared else f"at {question.source_name}"
    change = "has shrunk" if shrinks else "has grown"
    out = f" From layer {layer} on, counted from the target, it {change} more than 10,000-fold." if layer else ""
    if there == end:
        alike = question.source_name.removeprefix("the ")
        there, end = f"at the last {alike}", f"at the first {alike}"
    yield question.finding(
        f"{symptom}_depth",
        site,
        f"The gradient of {question.target_name} {verb} each time it passes {words(site)}: its norm is {other:.1e} "
        f"{there} and {norm:.1e} {end}{rate}.{out}",
        _fix(question, position, found.decay, shrinks=shrinks, over_time=over_time),
        severity="hint",
        symptom=symptom,
        evidence=[position],
    )


def _fix(question: Question, position: int, decay: float | None, *, shrinks: bool, over_time: bool) -> Fix | None:
    """What to do about a line that each layer passes: what comes in is added to what it gives, or it gives less."""
    site = site_at(question.log, position)
    if not shrinks:
        return Fix(question.dialect.cause("exploding_depth").fix, scaled_down(question.editor, site, decay))
    if over_time:
        return Fix(OVER_GATES if _is_gated(question.call, position) else OVER_TIME)
    return Fix(
        question.dialect.cause("vanishing_depth").fix, residual(question.editor, site_at(question.log, position))
    )
