"""What to write in place of an op that has no derivative, or none but zero."""

from __future__ import annotations

import ast
from operator import or_

from tapeviz.diagnosis.edits import formulas, substitutes
from tapeviz.diagnosis.op_kinds import COLLECTIVES, COMPARISONS, DRAWS, STEPS
from tapeviz.diagnosis.paths.trail import STOP, Cut
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.spelling import resulting, spelled, written
from tapeviz.graph import Link, Op, combined_before, has_derivative, is_real
from tapeviz.source.lines import LONGEST
from tapeviz.source.parsing import parse_expression
from tapeviz.source.statements import callee

_SMOOTH = {
    "argmax": "Use `tf.nn.softmax` and a weighted sum in place of the choice.",
    "argmin": "Use `tf.nn.softmax` of the negative and a weighted sum in place of the choice.",
}

HISTOGRAMS = ("histc",)
"""Ops that count how many numbers are in each bin."""

_UNIFORM = ("uniform", "stateless_uniform", "rand", "rand_like", "random")
"""Functions that draw numbers between 0 and 1."""

_NOISE = ("gumbel",)
"""Functions that draw what is added to logits, of which the largest is then a draw by their probabilities."""


def passed_through(question: Question, op: Op, slot: int = 0) -> Fix:
    """In place of a step or a clip: its value, and the gradient of its input."""
    before, after = spelled(question, op, slot), resulting(question, op)
    whole = "" if before is None or after is None else f"({before}) + tf.stop_gradient(({after}) - ({before}))"
    code = parse_expression(whole)
    if code is None or len(whole) > 2 * LONGEST:
        reads = f"where x is what {question.op_name(op)} reads and y what it gives"
        return Fix(f"let the gradient pass: use `x + tf.stop_gradient(y - x)`, {reads}")
    passing = ast.unparse(code)
    edit = formulas.given_again(question, op, after, passing) or formulas.instead_of(question, op, passing)
    return Fix(f"let the gradient pass: use `{passing}`", edit)


def let_through(question: Question, cut: Cut, stopper: str) -> Fix:
    """What to do about a stop at a tensor: where that was made by a step, its own gradient is of no use either.

    Another stop is no step, nor is what compares numbers that no source leads to, as a variance does with its count.
    """
    log, graph, tensor = question.log, question.graph, cut.link.tail
    led = question.call.once("led to by a source", lambda: graph.descendants(question.call.sources))

    def steps(link: Link) -> bool | None:
        if link.slot != 0 or link.tail not in led or not is_real(log.tensors[link.tail].dtype):
            return None
        op = graph.ops[link.position]
        return True if op.op != STOP and not has_derivative(log, op, 0) else None

    stepped = question.call.once("made by a step", lambda: combined_before(question.graph, steps, or_))
    if tensor not in stepped:
        return Fix(f"Remove the `{stopper}`.", formulas.without_stop(question.editor, cut.site))
    return Fix(
        f"Remove the `{stopper}`, or let it be `z + tf.stop_gradient(q - z)`, which has the value of q and the "
        "gradient of z.",
        formulas.past_a_step(question, tensor, cut.site),
    )


def smooth(question: Question, op: Op) -> Fix:
    """What to write in place of an op that has no derivative, or none but zero."""
    choice = f"arg{op.op}" if op.op in ("max", "min") else op.op  # along an axis, PyTorch's give the choice, too
    if choice in _SMOOTH and not _is_draw(question, op):
        return Fix(_SMOOTH[choice], formulas.smooth_choice(question, op, least=choice == "argmin"))
    if op.op in STEPS:
        leave = f"Leave the {question.op_name(op)} out while learning, or "
        return passed_through(question, op).reworded(lambda passing: f"{leave}{passing}.")
    if op.op in COLLECTIVES:
        return Fix(followed_collective(question, op.op))
    if op.op == "normal":
        return Fix("Draw noise of mean 0 and deviation 1, and move it: a gradient passes `mean + std * noise`.")
    if op.op == "bernoulli":
        weight = "Weight the loss with the log-probability of what was drawn, or "
        return passed_through(question, op).reworded(lambda passing: f"{weight}{passing}.")
    if op.op in DRAWS or choice in _SMOOTH or _is_chance(question, op):
        return Fix(
            "Weight the loss with the log-probability of what was drawn, or draw smoothly: `tf.nn.softmax` of the "
            "logits plus Gumbel noise."
        )
    if op.op in COMPARISONS:
        return Fix(smooth_step(question, op), formulas.smooth_steps(question, op))
    if op.op in HISTOGRAMS:
        nearness = "Let each number count for the bins around it, the less the farther it is from their middle."
        return Fix(nearness, substitutes.counted_smoothly(question, op))
    return Fix("Use a smooth function in its place, or a target that does without it.")


def followed_collective(question: Question, name: str) -> str:
    """In place of a collective that writes into its buffers."""
    same = question.say("a collective with a gradient", name=name.removeprefix("dist."))
    return f"Use {same} in its place, which returns what it got."


def _is_draw(question: Question, op: Op) -> bool:
    """Whether a choice is made of what noise was added to: so it is drawn."""
    noisy = question.graph.op_of(op.inputs[0])
    return noisy is not None and any(
        made is not None and made.op in _NOISE for made in map(question.graph.op_of, noisy.inputs)
    )


def _is_chance(question: Question, op: Op) -> bool:
    """Whether a comparison is with uniform random numbers: so it is drawn whether something happens."""
    return op.op in COMPARISONS and any(_maker(question, each) in _UNIFORM for each in op.inputs[:2])


def _maker(question: Question, tensor: int) -> str | None:
    """The op that made a tensor, or the function of the program's that made a leaf."""
    made, site = question.graph.op_of(tensor), question.made_on(tensor)
    if made is not None:
        return made.op
    call = None if site is None else question.call.texts.of(site).call_at(site)
    return None if call is None else callee(call)


def smooth_step(question: Question, op: Op) -> str:
    """In place of a comparison."""
    left, right = (written(question, each) for each in op.inputs[:2])
    if op.op in ("equal", "not_equal"):
        near = "which is 1 where the two are equal, and falls off the faster the larger k"
        return f"Use a smooth function in place of the comparison: `tf.exp(-k * tf.square(a - b))`, {near}."
    if left is None or right is None:
        return "Use a smooth step in place of the comparison: `tf.sigmoid` of a multiple of the difference."
    if op.op.startswith("less"):
        left, right = right, left
    difference = left if right == "0" else f"({left} - {right})"
    return f"Use a smooth step in place of the comparison: `tf.sigmoid(k * {difference})`, the steeper the larger k."
