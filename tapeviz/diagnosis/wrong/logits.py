"""GradientCall -> Findings about losses that get probabilities or scores where they expect logits or logarithms."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

import numpy as np

from tapeviz.diagnosis.edits import calls, formulas
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.op_kinds import CLIPS
from tapeviz.diagnosis.paths.shares import Taken, made_shares, taken_for_logits
from tapeviz.diagnosis.paths.views import behind_views
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.places import words
from tapeviz.diagnosis.wording.spelling import written
from tapeviz.diagnosis.wrong.shapes import passed_in
from tapeviz.events import Site
from tapeviz.events.summary import elements_of
from tapeviz.graph import Op
from tapeviz.source.places import site_at
from tapeviz.source.statements import callee

_PARTS = ("log", "reduce_logsumexp", "log1p", "softplus", "log_sigmoid")
"""Ops that are a part of a loss, where it is written out."""

ROUNDING = 1e-3
"""How far above 0 the logarithm of a probability may come out, in few bits too."""

OF_LOGARITHMS = ("kl_div", "nll_loss")
"""Losses whose first operand is logarithms of probabilities."""

SHARES = {"softmax": "tf.nn.log_softmax", "sigmoid": "tf.math.log_sigmoid"}
"""What gives probabilities, and what gives their logarithms."""


def applied_twice(call: GradientCall, sources: Iterable[int]) -> Iterator[Finding]:
    """A softmax or a sigmoid whose result goes into a loss that applies another; what else reads it does not matter."""
    parts, told = call.parts(sources), set()
    for position in passed_in(call):
        op = call.graph.ops[position]
        taken = taken_for_logits(call.graph, op)
        made = None if taken is None else made_shares(call.graph, taken.tensor)
        if taken is None or made is None or made[1] != taken.applied or (made, taken.is_whole and op.site) in told:
            continue
        told.add((made, taken.is_whole and op.site))
        through = parts.first(call.graph.ops[made[0]].inputs)
        if through is not None:
            yield _finding(Question(call, through), made[0], position, taken)


def without_logarithm(call: GradientCall, sources: Iterable[int]) -> Iterator[Finding]:
    """A loss that takes logarithms of probabilities, and is given these themselves, or numbers that are neither."""
    parts = call.parts(sources)
    for position in passed_in(call):
        op = call.graph.ops[position]
        through = parts.first(op.inputs[:1]) if op.op in OF_LOGARITHMS else None
        if through is None:
            continue
        question = Question(call, through)
        made = call.graph.producer(behind_views(call.graph, op.inputs[0]))
        if made is not None and call.graph.ops[made].op in SHARES:
            yield _of_shares(question, made, position)
        elif (above := _above_zero(question, op.inputs[0])) is not None:
            yield _of_scores(question, above, position)


def clipped_scores(call: GradientCall, sources: Iterable[int]) -> Iterator[Finding]:
    """A loss of probabilities keeps what it is given between 0 and 1, and is given numbers far from there."""
    parts, told = call.parts(sources), set[Site | None]()
    for position in passed_in(call):
        op = call.graph.ops[position]
        given = _clipped_for(call, op.inputs[0]) if op.op == "log" and site_at(call.log, position) not in told else None
        through = None if given is None else parts.first([given])
        value = None if through is None or given is None else elements_of(call.log.value(given))
        if through is not None and value is not None and value.size and -np.inf < (least := value.min()) < -ROUNDING:
            told.add(site_at(call.log, position))
            yield _of_no_shares(Question(call, through), float(least), position)


def _clipped_for(call: GradientCall, tensor: int) -> int | None:
    """What clips make a tensor of, that keep it from a little above 0 to a little below 1."""
    bounds: list[object] = []
    while (made := call.graph.op_of(tensor)) is not None and made.op in CLIPS:
        beside = (elements_of(call.log.value(each)) for each in made.inputs[1:])
        bounds += [each.item() for each in beside if each is not None and each.size == 1]
        bounds += [each for _, each in made.attrs]
        tensor = made.inputs[0]
    numbers = [each for each in bounds if isinstance(each, float)]
    return (
        tensor
        if any(0 < each <= ROUNDING for each in numbers) and any(1 - ROUNDING <= each < 1 for each in numbers)
        else None
    )


def _above_zero(question: Question, tensor: int) -> float | None:
    """The largest of a tensor's numbers, if it is above what rounding makes of the logarithm of 1."""
    value = elements_of(question.log.value(tensor))
    if value is None or value.dtype.kind != "f" or not value.size:
        return None
    largest = float(value.max())
    return largest if ROUNDING < largest < np.inf else None


def _of_shares(question: Question, softmax: int, loss: int) -> Finding:
    op, there = question.graph.ops[softmax], site_at(question.log, softmax)
    applied, called = question.op_name(op), question.op_name(question.graph.ops[loss])
    return question.finding(
        "api_misuse",
        there,
        f"{applied} at {words(there)} makes probabilities, and {called} at {words(site_at(question.log, loss))} takes "
        f"them for logarithms of probabilities: it takes no logarithm itself. The gradient of {question.source_name} "
        "is that of another loss.",
        Fix(f"Use `{SHARES[op.op]}` in place of {applied}.", formulas.renamed(question, op, (op.op,), SHARES[op.op])),
        severity="warning",
        symptom="wrong",
        evidence=[softmax, loss],
    )


def _of_scores(question: Question, above: float, loss: int) -> Finding:
    op, there = question.graph.ops[loss], site_at(question.log, loss)
    return question.finding(
        "api_misuse",
        there,
        f"{question.op_name(op)} at {words(there)} takes logarithms of probabilities, and is given numbers above 0, as "
        f"{above:.3g}, which no such logarithm is. The gradient of {question.source_name} is that of another loss.",
        "If they are logits, give it `tf.nn.log_softmax` of them.",
        severity="hint",
        symptom="wrong",
        evidence=[loss],
    )


def _of_no_shares(question: Question, least: float, logarithm: int) -> Finding:
    there = site_at(question.log, logarithm)
    edit = calls.of_logits(question.editor, there)
    how = "give it `tf.nn.softmax` or `tf.sigmoid` of them" if edit is None else "say `from_logits=True`"
    return question.finding(
        "api_misuse",
        there,
        f"The loss at {words(there)} is one of probabilities: it clips what it is given to what is between 0 and 1, "
        f"and is given numbers that are none, as {least:.3g}. Nothing passes where it clips, and the gradient of "
        f"{question.source_name} is that of another loss.",
        Fix(f"If they are logits, {how}.", edit),
        severity="hint",
        symptom="wrong",
        evidence=[logarithm],
    )


def _finding(question: Question, first_op: int, loss: int, taken: Taken) -> Finding:
    first, second = question.graph.ops[first_op], question.graph.ops[loss]
    there, here = site_at(question.log, first_op), site_at(question.log, loss)
    applied = f"`{taken.applied}`" if first.op != taken.applied else question.op_name(first)
    called = _loss_of(question, second, taken)
    return question.finding(
        "api_misuse",
        there,
        f"{applied} at {words(there)} makes probabilities, and {called} at {words(here)} takes them for logits: it "
        f"applies a {taken.applied} itself. The gradient of {question.source_name} comes through both, and is too "
        "small.",
        Fix(
            f"Leave out the {applied} before {called}; take it only where probabilities are shown.",
            formulas.without_call(question.editor, there, taken.applied, tensor=written(question, first.inputs[0])),
        ),
        severity="hint",
        symptom="wrong",
        evidence=[first_op, loss],
    )


def _loss_of(question: Question, op: Op, taken: Taken) -> str:
    """What takes numbers for logits: an op, or the function that a line calls; else what is written out there."""
    if taken.is_whole:
        return question.op_name(op)
    site = None if op.site is None else question.log.sites[op.site]
    call = None if site is None else question.call.texts.of(site).call_at(site)
    name = "" if call is None else callee(call)
    if call is not None and name and not {name, f"reduce_{name}"} & {*_PARTS}:
        return f"`{ast.unparse(call.func)}`"
    return "the logarithm of a sum of exponentials" if taken.applied == "softmax" else question.op_name(op)
