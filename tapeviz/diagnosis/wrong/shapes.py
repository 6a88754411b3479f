"""GradientCall -> Findings about gradients of an unintended target: shapes were broadcast, or summed over."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations

from tapeviz.diagnosis.edits import calls
from tapeviz.diagnosis.finding import Finding, Severity
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.op_kinds import DIFFERENCES, JOINS, PARTS, RESHAPING, VIEWS
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording import fixes
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.places import words
from tapeviz.diagnosis.wording.spelling import described
from tapeviz.events import BackwardFinished, BackwardStarted, TapeOpened
from tapeviz.graph import Link, Op
from tapeviz.source.places import site_at

MEETINGS: dict[str, Severity] = {
    "sub": "warning",
    "squared_difference": "warning",
    "mse_loss": "warning",
    "l1_loss": "warning",
    "smooth_l1_loss": "warning",
    "huber_loss": "warning",
    "where": "warning",
    "add": "hint",
    "mul": "hint",
    "div": "hint",
    "maximum": "hint",
    "minimum": "hint",
}
"""The ops in which a column may meet a row by mistake -> how sure it is that it was one."""


def broadcast_mismatch(call: GradientCall, sources: Iterable[int]) -> Iterator[Finding]:
    """A column (n, 1) met a row (n,), and the table (n, n) was reduced as if it were n numbers.

    A column that was reshaped on purpose, as in `x[:, None] - y`, is no mistake. Of products and the like only a hint
    is honest: a table of them may well be meant.
    """
    source = next(iter(sources), None)
    if source is None:
        return
    for position in passed_in(call):
        op = call.graph.ops[position]
        if op.op in MEETINGS and _crossed(call, op) and _is_reduced(call, op.outputs[0]):
            yield _mismatch(Question(call, source), position, op, MEETINGS[op.op])


def recorded_in(call: GradientCall) -> Callable[[Link], bool]:
    """Whether a link is an op that the tape of a call saw."""
    return lambda link: link.slot is not None and call.tape in dict(call.graph.ops[link.position].tapes)


def passed_in(call: GradientCall) -> list[int]:
    """The positions of the ops that the tape of a call saw on the way to its targets, in order."""

    def find() -> list[int]:
        return sorted({link.position for link in call.graph.back(call.targets, recorded_in(call))})

    return call.once("passed in", find)


def _crossed(call: GradientCall, op: Op) -> list[int]:
    """The column and the row that meet in an op, as they are written; none where the table may be meant.

    Who reshapes an operand right there, or takes every difference within one set of numbers, means the table; who makes
    a row of a column does not.
    """
    tensors, met = call.log.tensors, _operands_as_written(call, op)
    for pair in combinations(met, 2):
        for column, row in (pair, pair[::-1]):
            (rows, *rest), length = tensors[column].shape or (0,), tensors[row].shape
            if rest == [1] and length == (rows,) and rows > 1:
                related = _is_made_of(call, column, row) or _is_made_of(call, row, column)
                meant = _shape_before(call, column) is not None or _shape_before(call, row) not in (None, (rows, 1))
                return [] if related or meant else list(pair)
    return []


def _is_made_of(call: GradientCall, tensor: int, part: int) -> bool:
    """Whether one tensor was computed from another, and not by way of weights that a gradient has changed."""
    graph = call.graph
    return any(each.tail == part for each in graph.back([tensor], lambda link: not graph.is_backward(link.position)))


def _operands_as_written(call: GradientCall, op: Op) -> list[int]:
    """The operands of an op as they are written, without the reshape by which a framework itself lines them up."""
    return [_before_lining_up(call, op, each) for each in op.inputs]


def _before_lining_up(call: GradientCall, op: Op, tensor: int) -> int:
    made = call.graph.op_of(tensor)
    if made is None or made.op != "reshape" or made.site is None or made.site != op.site:
        return tensor
    before, after = (call.log.tensors[each].shape for each in (made.inputs[0], tensor))
    if after != (1,) * (len(after) - len(before)) + before:  # axes behind others are those of examples that are mapped
        return tensor
    site = call.log.sites[made.site]
    is_written = call.texts.of(site).result_text(site, (op.op,)) is not None  # and not within what a line calls
    return made.inputs[0] if is_written else tensor


def _shape_before(call: GradientCall, tensor: int) -> tuple[int, ...] | None:
    """The shape of what was reshaped into a tensor; None where nothing was."""
    op = call.graph.op_of(tensor)
    return call.log.tensors[op.inputs[0]].shape if op is not None and op.op in RESHAPING else None


def _is_reduced(call: GradientCall, tensor: int) -> bool:
    """Whether a table goes, entry by entry and reduction by reduction, into numbers, by every use of it."""
    tensors, seen = call.log.tensors, {tensor}
    waiting = [tensor] if tensors[tensor].shape else []
    for table in waiting:
        read = {link.position for link in call.graph.links_from(table) if link.slot is not None}
        positions = {each for each in read if not call.graph.is_backward(each)}  # as that of a derivative does
        for op in (call.graph.ops[each] for each in positions):
            output = op.outputs[0]
            reduces = op.op.startswith("reduce_") or op.op in DIFFERENCES
            if tensors[output].shape != tensors[table].shape and not reduces:
                return False
            if tensors[output].shape and output not in seen:
                seen.add(output)
                waiting.append(output)
        if not positions:
            return False
    return True


def _mismatch(question: Question, position: int, op: Op, severity: Severity) -> Finding:
    site, met = site_at(question.log, position), _crossed(question.call, op)
    one, other = (question.log.tensors[each].shape for each in met)
    table = (max(one[0], other[0]),) * 2
    x, y = (_with_shape(described(question, each), shape) for each, shape in zip(met, (one, other), strict=True))
    return question.finding(
        "broadcast_mismatch",
        site,
        f"At {words(site)}, {x} and {y} are broadcast to {table}: every entry of one meets every entry of the other, "
        "not only the one in its place, which changes the target and its gradient.",
        fixes.same_shape(question, op, met),
        severity=severity,
        symptom="wrong",
        evidence=[position],
    )


def _with_shape(name: str, shape: tuple[int, ...]) -> str:
    """The name of a tensor with its shape, which that of one without a name already tells."""
    told_of = f" of shape {shape}"
    return name if name.endswith(told_of) else name + told_of


def implicit_sum(call: GradientCall, sources: Iterable[int]) -> Iterator[Finding]:
    """A target of several entries was summed, by a source of one entry or by one that the target's entries share.

    The second is seen where the target is itself a gradient with respect to the source, so that what comes out are the
    sums over the rows of the Hessian; and of a field, a vector of as many entries as the source has. Where each entry
    depends on its own entry of the source alone, all is well; and so it is of a Jacobian.
    """
    started = None if call.position is None else call.log.events[call.position]
    if isinstance(started, BackwardStarted) and started.rows is not None:
        yield from _over_the_batch(call, sources)
        return
    tensors, own = call.log.tensors, _differentiated(call)
    if call.log.facts.takes_scalar_targets_only:
        yield from _refused(call, sources)
        return
    for target in call.targets:
        if math.prod(tensors[target].shape) < 2:
            continue
        ancestors = call.graph.ancestors([target])
        for source in sources:
            shape = tensors[source].shape
            is_field = len(shape) == 1 and shape == tensors[target].shape
            fewer = not shape and source in ancestors
            if fewer or ((is_field or source in own.get(target, ())) and _is_mixed(call, source, target)):
                yield _summed(Question(call, source), target)


def _over_the_batch(call: GradientCall, sources: Iterable[int]) -> Iterator[Finding]:
    """A `batch_jacobian` of rows that are not computed each from its own row of the source: what it gives is summed."""
    site = call.site
    if site is None or call.texts.of(site).call(site, "batch_jacobian") is None:
        return
    [target] = call.targets
    links = sorted(call.graph.back([target], recorded_in(call)), key=lambda link: link.position)
    for source in sources:
        onward = call.graph.descendants([source])
        mixing = next((each for each in links if each.tail in onward and _runs_over_rows(call, each)), None)
        if mixing is None:
            continue
        question, line = Question(call, source), site_at(call.log, mixing.position)
        name, own = question.source_name, question.target_name
        mixer = question.op_name(call.graph.ops[mixing.position])
        yield question.finding(
            "implicit_sum",
            site,
            f"`batch_jacobian` at {words(site)} takes every row of {own} to be computed from the same row of {name} "
            f"alone, but {mixer} at {words(line)} runs over the rows: what it gives for a row of {name} is the sum of "
            f"what all rows of {own} change with it.",
            f"Take `jacobian`, which has every row of {own} by every row of {name}.",
            severity="hint",
            symptom="wrong",
            evidence=[mixing.position],
        )


def _runs_over_rows(call: GradientCall, link: Link) -> bool:
    """Whether an op computes along the first axis of what it reads, rather than joins, picks or moves rows."""
    op, rank = call.graph.ops.get(link.position), len(call.log.tensors[link.tail].shape)
    if op is None or op.op in JOINS | PARTS | RESHAPING | VIEWS or "axis" not in (attrs := dict(op.attrs)):
        return False
    axis = attrs["axis"]
    return axis is None or any(each in (0, -rank) for each in (axis if isinstance(axis, tuple) else (axis,)))


def _refused(call: GradientCall, sources: Iterable[int]) -> Iterator[Finding]:
    """What was differentiated is not the one number that the framework's own call takes."""
    source, target = next(iter(sources), None), call.targets[0]
    shape, count = call.log.tensors[target].shape, len(call.targets)
    opened = next((each for each in call.log.of_kind(TapeOpened).values() if each.tape == call.tape), None)
    if source is None or (count == 1 and not shape) or (opened is not None and opened.persistent):  # by `jax.vjp`
        return
    question = Question(call, source)
    what = f"{question.name(target)} has shape {shape}" if count == 1 else f"The function returns {count} results"
    parts = "its entries" if count == 1 else "all their entries"
    fix = "Return one number, such as the mean, or take `jax.jacobian` for one gradient per entry."
    yield question.finding(
        "implicit_sum",
        question.made_on(target),
        f"{what}, which `jax.grad` refuses: the recording differentiates the sum of {parts}.",
        fix if count == 1 else "If the first is the loss, pass `has_aux=True`. Otherwise return one number.",
        severity="hint",
        symptom="wrong",
        evidence=[question.made_at(target)],
    )


def _differentiated(call: GradientCall) -> dict[int, set[int]]:
    """Gradient -> the sources it was taken with respect to, of the calls before this one."""
    runs: dict[int, tuple[int, ...]] = {}
    found: dict[int, set[int]] = {}
    for position, event in call.log.of_kind(BackwardStarted, BackwardFinished).items():
        if call.position is not None and position >= call.position:
            break
        if isinstance(event, BackwardStarted):
            runs[event.run] = event.sources
        else:
            for source, gradient in zip(runs[event.run], event.gradients, strict=True):
                if gradient is not None:
                    found.setdefault(gradient, set()).add(source)
    return found


def _is_mixed(call: GradientCall, source: int, target: int) -> bool:
    """Whether some op on the path from the source to its gradient changes the number of rows."""
    tensors = call.log.tensors
    rows = tensors[target].shape[:1]
    links = call.graph.back([target], recorded_in(call))
    onward = call.graph.descendants([source])
    mixing = (link for link in links if link.tail in onward and tensors[link.tail].shape[:1] != rows)
    return rows > (1,) and next(mixing, None) is not None


def _summed(question: Question, target: int) -> Finding:
    source, name = question.source_name, question.name(target)
    shape = question.log.tensors[target].shape
    return question.finding(
        "implicit_sum",
        question.call.site,
        f"{name} has shape {shape}, and the call at {words(question.call.site)} differentiates the sum of its entries: "
        f"what {source} gets is that sum's gradient, not one per entry.",
        Fix(
            question.dialect.cause("implicit_sum").fix,
            calls.renamed(question.editor, question.call.site, "gradient", "jacobian"),
        ),
        severity="hint",
        symptom="wrong",
        evidence=[question.made_at(target)],
    )
