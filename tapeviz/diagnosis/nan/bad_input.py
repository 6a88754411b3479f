"""GradientCall, op -> Finding: what the op reads was NaN or infinite before anything was computed from it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from tapeviz.diagnosis.edits.following import cleaned
from tapeviz.diagnosis.finding import Finding, Severity
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.numbers.operands import first_not_finite
from tapeviz.diagnosis.op_kinds import MASKED, read_by
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import BackwardFinished, EventLog, Site
from tapeviz.events.summary import elements_of, is_finite, summary_of
from tapeviz.graph import Graph, Link, Op, combined_before
from tapeviz.source.places import site_at

HUGE = 1e6
"""A variable beyond this, after an update, is what overflows, whatever op it meets."""


@dataclass(frozen=True)
class NonFinite:
    """The entries of a tensor that are not finite: how many, the NaN among them, of how many, and the first."""

    count: int
    nans: int
    size: int
    entry: tuple[int, ...] | None

    @classmethod
    def of(cls, log: EventLog, tensor: int, at: int) -> NonFinite | None:
        """Those of a tensor as an op at a position reads it; None where all are finite or nothing is known."""
        value = log.value(tensor, at)
        summary = None if is_finite(value) else summary_of(value)
        if summary is None:
            return None
        return cls(summary.nans + summary.infs, summary.nans, summary.size, first_not_finite(elements_of(value)))

    def __str__(self) -> str:
        what = "infinite" if not self.nans else "NaN" if self.nans == self.count else "NaN or infinite"
        if self.size == 1:
            return f"is {what}"
        first = "" if self.entry is None else f", the first at {list(self.entry)}"
        return f"is {what} in {self.count} of its {self.size} entries{first},"


@dataclass(frozen=True)
class NonFiniteLeaf:
    """A leaf that is not finite, and the position of the op that reads it first."""

    tensor: int
    read: int
    bad: NonFinite


def non_finite_leaf(call: GradientCall, op: int) -> NonFiniteLeaf | None:
    """The leaf from which an op got its NaN or infinity, if it read any; every op on the path only passed it on."""
    graph, log = call.graph, call.log
    given = {each: NonFinite.of(log, each, op) for each in read_by(graph.ops[op])}
    found = {tensor: bad for tensor, bad in given.items() if bad is not None}
    is_nan = any(bad.nans for bad in found.values())

    def read_bad(link: Link) -> tuple[int, int] | None:
        bad = NonFinite.of(log, link.tail, link.position) if graph.producer(link.tail) is None else None
        return (link.position, link.tail) if bad is not None and bool(bad.nans) == is_nan else None

    is_read = partial(_is_read, graph)
    before = call.once(("not finite leaves", is_nan), lambda: combined_before(graph, read_bad, min, is_read))
    own = [(op, each) for each, bad in found.items() if graph.producer(each) is None and bool(bad.nans) == is_nan]
    for position, leaf in sorted([*own, *(before[each] for each in found if each in before)])[:1]:
        bad = NonFinite.of(log, leaf, position)
        return None if bad is None else NonFiniteLeaf(leaf, position, bad)
    return None


def _is_read(graph: Graph, link: Link) -> bool:
    """Whether a link is that of an op, which computes with it: a value written into a variable is the variable's."""
    return link.slot is not None and link.tail in read_by(graph.ops[link.position])


def non_finite_at_onset(call: GradientCall, op: int) -> NonFiniteLeaf | None:
    """The leaf behind an op that makes NaN of infinity; a mask, or an infinity that the program spells out, is none."""
    found = None if call.graph.ops[op].op in MASKED else non_finite_leaf(call, op)
    return None if found is None or call.log.tensors[found.tensor].role == "literal" else found


def read_non_finite(call: GradientCall, op: int, *, is_onset: bool) -> Callable[..., Finding] | None:
    """The finding about an op that read NaN or infinity, or, if it is an onset itself, makes NaN of infinity."""
    leaf = non_finite_at_onset(call, op) if is_onset else non_finite_leaf(call, op)
    if leaf is not None:
        return partial(nan_in_input, leaf=leaf)
    if is_onset and spelled_out(call.graph.ops[op]) is not None:
        return partial(nan_written, position=op)
    return None


def what_is_not_finite(question: Question, target: int | None) -> str:
    """What is not finite because of it: the gradient, or a `target` though the gradients are finite."""
    return f"the gradient of {question.source_name}" if target is None else question.name(target)


def finding_of(
    question: Question,
    cause: str,
    site: Site | None,
    message: str,
    fix: str | Fix | None,
    target: int | None,
    evidence: list[int | None],
) -> Finding:
    """A finding of what is not finite; only a warning where that is a `target`, and the gradients are."""
    severity: Severity = "error" if target is None else "warning"
    return question.finding(cause, site, message, fix, severity=severity, symptom="nan", evidence=evidence)


def nan_in_input(question: Question, target: int | None = None, *, leaf: NonFiniteLeaf) -> Finding:
    log, name = question.log, question.name(leaf.tensor)
    read, made = site_at(log, leaf.read), question.made_on(leaf.tensor)
    written = _last_write(question.graph, leaf.tensor, leaf.read)
    is_variable = question.graph.is_variable(leaf.tensor)
    held = elements_of(log.value(leaf.tensor, leaf.read))
    is_half = held is not None and held.dtype == np.float16
    own = target is None and leaf.tensor == question.source
    first = None if written is None else _written_first(question, leaf.tensor, written)
    if first is not None:
        read, made = first, None
    reader = f"before {question.op_name(question.graph.ops[leaf.read])} at {words(site_at(log, leaf.read))} reads it"
    since = "" if first is None else f", since {words(first)} wrote into it"
    return finding_of(
        question,
        "nan_in_input",
        read if made is None or written is not None else made,
        f"{_introduced(question, leaf.tensor)} {leaf.bad} {reader}{since}: "
        f"{'its gradient' if own else what_is_not_finite(question, target)} is not finite either.",
        f"Write finite numbers into {name}."
        if first is not None
        else _variable_fix(name, written is not None, is_half)
        if is_variable
        else _data_fix(question, name, made),
        target,
        [leaf.read, written],
    )


def _written_first(question: Question, tensor: int, write: int) -> Site | None:
    """The line of a write that is no update, as no gradient was taken before it, of a tensor not known to be bad."""
    log = question.log
    is_update = next(iter(log.of_kind(BackwardFinished)), write) < write
    was_known = any(since < write for since, _ in log.versions(tensor))
    was_bad = was_known and NonFinite.of(log, tensor, write - 1) is not None
    return None if is_update or was_bad else site_at(log, write)


def _introduced(question: Question, leaf: int) -> str:
    if question.log.tensors[leaf].role == "literal":
        return "a number in the line"
    return question.introduced(leaf) + "," * question.is_named(leaf)


def spelled_out(op: Op) -> float | None:
    """The NaN or infinity that the program itself hands to an op, as to `x[0] = nan`."""
    given = (value for _, value in op.attrs if isinstance(value, float | np.floating))
    return next((float(each) for each in given if not np.isfinite(each)), None)


def nan_written(question: Question, target: int | None = None, *, position: int) -> Finding:
    """The program writes NaN."""
    op, site = question.graph.ops[position], site_at(question.log, position)
    return finding_of(
        question,
        "nan_in_input",
        site,
        f"{question.op_name(op)} at {words(site)} is given NaN, which becomes part of {question.name(op.outputs[0])}: "
        f"{what_is_not_finite(question, target)} is not finite either.",
        "Write a finite number there, or leave out what has none before it is used.",
        target,
        [position],
    )


def huge_variable(question: Question, op: int) -> tuple[str, str] | None:
    """That an update has made a variable huge which the overflow of an op comes of, and what to do; None if not so."""
    largest = _largest_read(question.call, op)
    if largest is None or largest.size < HUGE:
        return None
    written = _last_write(question.graph, -largest.variable, -largest.position)
    if written is None:
        return None
    name, since = question.name(-largest.variable), words(site_at(question.log, written))
    told = f" {name[0].upper()}{name[1:]} is as large as {largest.size:.1e} since {since}"
    return (
        f"{told}: the steps of the training are too large, and each makes the next one larger.",
        "Take smaller steps, or clip the gradients before they are applied (`tf.clip_by_global_norm`).",
    )


class _Read(NamedTuple):
    """A reading of a variable: the largest number in it, and, as negative numbers, where it was read and what.

    So the largest of several is the first of the largest.
    """

    size: float
    position: int
    variable: int


def _largest_read(call: GradientCall, op: int) -> _Read | None:
    """The variable with the largest number of those that an op was computed from."""
    is_read = partial(_is_read, call.graph)

    def read(position: int, tensor: int) -> _Read | None:
        is_variable = call.graph.is_variable(tensor)
        return _Read(_size(call.log, position, tensor), -position, -tensor) if is_variable else None

    def on_the_way(link: Link) -> _Read | None:
        return read(link.position, link.tail) if is_read(link) else None

    before = call.once("largest reads", lambda: combined_before(call.graph, on_the_way, max, is_read))
    inputs = call.graph.ops[op].inputs
    reads = [*(read(op, each) for each in inputs), *(before.get(each) for each in inputs)]
    return max((each for each in reads if each is not None), default=None)


def _last_write(graph: Graph, variable: int, before: int) -> int | None:
    """Where a variable was last written before a position."""
    writes = graph.writes.get(variable, [])
    count = bisect_left(writes, before)
    return writes[count - 1] if count else None


def _size(log: EventLog, position: int, tensor: int) -> float:
    """The largest number in a tensor as an op at a position reads it; 0 where it is not known."""
    value = elements_of(log.value(tensor, position))
    if value is None or not value.size or value.dtype.kind not in "iuf":
        return 0.0
    return float(np.abs(value).max())


def _variable_fix(name: str, is_written: bool, is_half: bool) -> str:
    if is_written and is_half:
        return (
            f"An update made {name} so. Where its gradient was finite, the step itself did: in float16 what an "
            "optimizer adds to a denominator, as 1e-8, is 0. Keep the variables in float32, or pass `eps=1e-4`."
        )
    if is_written:
        return (
            f"An update made {name} so: look at the step before, in `tv.diagnose` of the whole recording, and mend the "
            "first gradient that is not finite, or take smaller steps."
        )
    return (
        f"An earlier step, or the first value of {name}, made it so: put the whole loop into "
        '`with tv.record(stop_on=("nan", "inf"))`, which ends at the first gradient that is not finite and says why.'
    )


def _data_fix(question: Question, name: str, line: Site | None) -> Fix:
    owned = name if name.startswith("`") else "the data"
    told = f"Clean {owned} before use: leave such entries out, or fill them with a number, as `np.nan_to_num` does."
    return Fix(told, cleaned(question, line, name))
