"""EventLog, target, source -> Finding or Answer: why one gradient is what it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from tapeviz.diagnosis import custom
from tapeviz.diagnosis.depth import out_of_range
from tapeviz.diagnosis.error import refused
from tapeviz.diagnosis.finding import Answer, Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.nan.not_finite import target_not_finite
from tapeviz.diagnosis.none import missing, recording_gap, sources
from tapeviz.diagnosis.none.higher_order import inner_calls, no_higher_order_record
from tapeviz.diagnosis.none.other_object import not_its_argument
from tapeviz.diagnosis.none.target_network import of_a_twin
from tapeviz.diagnosis.none.unused import unmet_source
from tapeviz.diagnosis.numbers import broadcast_sums, elements, shrinking
from tapeviz.diagnosis.numbers.run_numbers import norm_of
from tapeviz.diagnosis.op_kinds import COLLECTIVES
from tapeviz.diagnosis.paths import arriving
from tapeviz.diagnosis.paths.stops import stops
from tapeviz.diagnosis.paths.trail import STOP
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.ranks.answers import RankAnswers, answers
from tapeviz.diagnosis.ranks.passes import is_gather, ranks_of
from tapeviz.diagnosis.recorded_calls import bad_numbers, gradient_calls
from tapeviz.diagnosis.recording.grad_attribute import non_leaf_grad
from tapeviz.diagnosis.wording.opened import compiled, opened
from tapeviz.diagnosis.wording.places import once, words
from tapeviz.diagnosis.wrong.silent import wrong
from tapeviz.diagnosis.zero.cancel import nearly_cancelled
from tapeviz.errors import LogError
from tapeviz.events import (
    BackwardFinished,
    ErrorRaised,
    EventLog,
    GradientRead,
    GradientStored,
    OpRecorded,
    ReadOut,
    TapeOpened,
    log_of,
)
from tapeviz.events.store.ranks import Ranks
from tapeviz.events.summary import has_same_elements
from tapeviz.graph import Graph
from tapeviz.phrases import counted, listed
from tapeviz.replay import ROWS_LOST, runs
from tapeviz.source.places import site_at
from tapeviz.source.roundtrips import whole_graph

NUMBERS = (int, float, complex, np.ndarray, np.generic)
"""The types that reading a tensor out can give."""


def why(log_or_tape: Any, target: Any, source: Any) -> Finding | Answer | RankAnswers:
    """Why the gradient of `target` with respect to `source` is what it is.

    Where `gradient` was not called for the two, the answer says what a call would find; it uses nothing up.

    Args:
        log_or_tape: a log, or anything with `.log`. Of the logs of several ranks the answers of each are given.
        target: a tensor or variable of the recorded program, or its name.
        source: likewise.

    Returns:
        A `Finding` with the cause, the user's line and the fix where something is amiss; else an `Answer`, the paths
        that the gradient is the sum of.

    Raises:
        LogError: the log does not mention the target, has no such name, or holds no tape.
        TypeError: several targets or sources at once.

    >>> import tapeviz as tv
    >>> x = tv.Variable(3.0)
    >>> with tv.GradientTape() as tape:
    ...     y = tv.round(x) * 2.0
    >>> why(tape, y, x).cause
    'nondifferentiable_op'
    """
    if isinstance(log_or_tape, Ranks):
        return answers(log_or_tape, target, source, _of_log)
    return _of_log(log_of(log_or_tape), target, source)


def _of_log(log: EventLog, target: Any, source: Any) -> Finding | Answer:
    graph = whole_graph(log)
    answer, told = _answer(graph, target, source), opened(graph.log) or compiled(graph.log)
    return replace(answer, message=f"{told}. {answer.message}") if told else answer


def _answer(graph: Graph, target: Any, source: Any) -> Finding | Answer:
    asked_of = _one(graph.log, target, "target")
    if graph.log.is_unmet(source):
        untaken = _untaken(graph, asked_of)
        return unmet_source(untaken, source) if _grad_of(source) is None else _left_in_unmet(untaken)
    ids = asked_of, _one(graph.log, source, "source")
    calls = [each for each in gradient_calls(graph) if ids[0] in each.targets and ids[1] in each.gradients]
    calls = [each for each in calls if each.run.rows is None] or calls  # rather one with numbers
    if calls:
        question, gradient = Question(calls[-1], ids[1]), calls[-1].gradients[ids[1]]
        known: Finding | Answer | None = bad_numbers(calls[-1], ids[1])
    else:
        question, gradient = Question(_untaken(graph, ids[0]), ids[1]), None
        known = _stored_within(question) or _failed(graph, *ids) or _used_up(question.call)
        known = known or _left_by_others(question, source)
    if known is not None:
        return known
    if ids[1] not in question.call.reached or (calls and gradient is None):
        return _unreached(replace(question, zeros=gradient is not None))
    return _arrived(question, _warnings(question))


def _one(log: EventLog, wanted: Any, role: str) -> int:
    """The id of the one tensor that is asked about, as target or as source."""
    if isinstance(wanted, (list, tuple, dict)):
        each = f"for {role} in ...: print(tv.why(tape, target, source))"
        raise TypeError(
            f"`why` explains one {role} at a time and got a {type(wanted).__name__} of {len(wanted)}: write `{each}`, "
            "or `tv.diagnose(tape)` for everything at once."
        )
    if wanted is None or isinstance(wanted, NUMBERS):
        raise LogError(_of_no_tensor(log, wanted, role))
    return log.id_of(wanted)


def _of_no_tensor(log: EventLog, wanted: Any, role: str) -> str:
    """The message about a plain number or array, with the line that read it out of its tensor, if the log knows."""
    kind = "None" if wanted is None else f"the {type(wanted).__name__} {str(wanted)[:80]}"
    told = f"The {role} is not a tensor of this log's program but {kind}"
    for position in range(len(log.events) - 1, -1, -1):
        event = log.events[position]
        if isinstance(event, ReadOut) and has_same_elements(log.value(event.tensor, position), wanted):
            return (
                f"{told}, which `{event.how}` at {words(site_at(log, position))} read out of its tensor, and no "
                f"gradient passes plain numbers. Keep the tensor, without `{event.how}`, and ask for that one."
            )
    return f"{told}. Pass the tensor or the variable itself, or its name in the program."


def without_gradient(question: Question) -> Finding | None:
    """Why no gradient arrives at the source: the finding of the first rule that applies, None if none does.

    Two causes may be intended, so a second rule is tried: `stop_gradient`, beside a path through a gradient that was
    not recorded; and what ran outside the tape, if it belongs to a twin of the model that is trained.
    """
    rules: Iterable[Callable[[Question], Finding | None]] = missing.RULES
    if question.call.trail.reaches(question.source):
        rules = (*sources.RULES, *recording_gap.RULES, *custom.RULES, not_its_argument)
    found = next((finding for rule in rules if (finding := rule(question)) is not None), None)
    if found is not None and found.cause == "stop_gradient" and _is_gradient_beside(question, found.evidence[0]):
        return no_higher_order_record(question) or found
    if found is not None and found.cause == "outside_tape":
        return of_a_twin(question) or found
    return found


def _is_gradient_beside(question: Question, stop: int) -> bool:
    """Whether a gradient took part in the target by another way than over a stop."""
    links = question.graph.back(question.call.targets, lambda link: link.position != stop)
    beside = {link.tail for link in links}
    return any(not beside.isdisjoint(results) for _, _, results in inner_calls(question.within))


def _with_others(question: Question) -> Answer | None:
    """Of a parameter that processes share out, this one may have no part."""
    gathers = any(is_gather(op) and ranks_of(op) > 1 for op in question.graph.ops.values())
    if not gathers or 0 not in question.log.tensors[question.source].shape:
        return None
    told = (
        f"Of {question.source_name} this rank has no part: its elements are with other ranks, and so is its gradient."
    )
    return Answer(question.source, question.target, told)


def _unreached(question: Question) -> Finding | Answer:
    return (
        _with_others(question)
        or without_gradient(question)
        or Answer(
            question.source,
            question.target,
            f"No gradient of {question.target_name} arrives at {question.source_name}; the log does not show why.",
        )
    )


def _untaken(graph: Graph, target: int) -> GradientCall:
    """A gradient call for a target that the program did not make."""
    return GradientCall(graph, _tape_of(graph, target), (target,), None)


def _tape_of(graph: Graph, target: int) -> int:
    """The tape that recorded a target, else the last one."""
    tapes = [event.tape for event in graph.log.of_kind(TapeOpened).values()]
    if not tapes:
        raise LogError("This log holds no tape: nothing was recorded that a gradient could pass.")
    made = graph.op_of(target)
    own = [tape for tape, decision in made.tapes if decision == "recorded"] if isinstance(made, OpRecorded) else []
    return own[-1] if own else tapes[-1]


def _stored_within(question: Question) -> Answer | None:
    """The answer if the gradient was stored without being one of the pass's: by other processes, where a reduction
    over them followed the pass, else by a gradient call inside an op, as in a reentrant checkpoint."""
    log, graph = question.log, question.graph
    of_target = {run.number for run in runs(log) if question.call.targets[0] in run.targets}
    stored = {at: each for at, each in log.of_kind(GradientStored).items() if each.tensor == question.source}
    found = next((item for item in reversed(stored.items()) if item[1].run in of_target), None)
    if found is None:
        return None
    position, store = found
    finished = max(at for at, each in log.of_kind(BackwardFinished).items() if each.run == store.run)
    reductions = (op for at, op in graph.ops.items() if finished < at < position and op.op in COLLECTIVES)
    reduction = next(reductions, None)
    norm = norm_of(log, store.gradient)
    size = "" if norm is None else f"; the norm of what is stored is {norm:.4g}"
    if reduction is None:
        told = (
            f"The gradient of {question.target_name} arrives at {question.source_name} within an op that takes a "
            f"gradient of its own, as a reentrant checkpoint does: what happens in there is not recorded{size}."
        )
    else:
        told = (
            f"No gradient of {question.target_name} arrives at {question.source_name} in this process: what the "
            f"reduction over {counted(ranks_of(reduction), 'rank')} stored is of others{size}."
        )
    return Answer(question.source, question.target, told)


def _left_by_others(question: Question, source: Any) -> Answer | None:
    """The answer if the source has a gradient that no recorded backward pass left there, as a library may do itself.

    One that shards parameters swaps them for others while a model runs, and stores what those get.
    """
    log = question.log
    if any(each.tensor == question.source for each in log.of_kind(GradientStored).values()):
        return None
    read = log.of_kind(GradientRead).values()
    found = any(each.tensor == question.source and each.gradient is not None for each in read)
    if not found and _grad_of(source) is None:
        return None
    name = question.source_name
    return Answer(
        question.source,
        question.target,
        f"{name} has a gradient in its `.grad`, which no recorded backward pass left there: it came before the "
        f"recording, or by a library that puts another tensor in the place of {name} while the model runs, as one "
        f"that shards parameters does. Nothing else recorded leads from {name} to {question.target_name}.",
    )


def _left_in_unmet(call: GradientCall) -> Answer:
    """The same of a source that no recorded line uses."""
    name = Question(call, call.targets[0]).target_name
    return Answer(
        None,
        call.targets[0],
        "The source has a gradient in its `.grad`, though no recorded line uses it: it came before the recording, or "
        "by a library that puts other tensors in the place of such as it while the model runs, as one that shards "
        f"parameters does. Nothing recorded leads from it to {name}.",
    )


def _grad_of(source: Any) -> Any:
    """The `.grad` of a leaf that the caller has at hand; None of what is asked about by name."""
    return getattr(source, "grad", None) if getattr(source, "is_leaf", False) else None


def _used_up(call: GradientCall) -> Finding | None:
    """The finding about a call on this tape that failed because the tape was used up."""
    for finding in refused.graph_consumed(call.graph):
        opened = call.log.events[finding.evidence[0]]
        if isinstance(opened, TapeOpened) and opened.tape == call.tape:
            return finding
    return None


def _failed(graph: Graph, target: int, source: int) -> Finding | None:
    """Why the last call for the two ended in an error, where no other gave a gradient or None."""
    asked = [run for run in runs(graph.log) if target in run.targets and source in run.sources]
    if not asked:
        return None
    error = next((at for at in graph.log.of_kind(ErrorRaised) if at > asked[-1].position), None)
    return next((each for rule in refused.RULES for each in rule(graph) if error in each.evidence), None)


def _arrived(question: Question, warnings: tuple[Finding, ...]) -> Answer:
    through, lines = arriving.described(question)
    call = question.call
    gradient = call.gradients.get(question.source)
    norm = norm_of(call.log, gradient)
    is_jacobian = call.is_made and call.run.rows is not None
    targets = [question.name(each) for each in call.targets]
    target = targets[0] if len(targets) == 1 else f"the sum of {listed(targets)}"
    what = "Jacobian" if is_jacobian else "gradient"
    message = f"The {what} of {target} arrives at {question.source_name}{through}"
    size = "" if norm is None else f"; its norm is {norm:.4g}{_placed(call.log, gradient)}"
    message += f"; {ROWS_LOST}." if is_jacobian else f"{size}."
    message += shrinking.explanation(question)
    told = {each.site for each in warnings}
    held = [words(each) for each in stops(question) if each not in told]
    message += f" `{question.dialect.op(STOP)}` at {listed(held)} holds a part of it back." if held else ""
    if call.is_made:
        entries = broadcast_sums.explanation(call, question.source) or elements.explanation(call, question.source)
        message += once(entries, call.site)
    return Answer(question.source, question.target, message, tuple(lines), warnings)


def _placed(log: EventLog, tensor: int | None) -> str:
    """What is to be said of the norm of a distributed tensor, of which this process may have a part."""
    placement = None if tensor is None else log.tensors[tensor].placement
    if placement is None:
        return ""
    return f" (`{placement}`{': of what this process has' * (set(placement.split(', ')) != {'Replicate()'})})"


def _warnings(question: Question) -> tuple[Finding, ...]:
    """What is wrong with a gradient although it arrives with sound numbers."""
    call, alone = question.call, [question.source]
    found = [*wrong(call, alone), *(each for each in non_leaf_grad(question.graph) if each.source in alone)]
    if call.is_made:
        found += (*target_not_finite(call, alone), *nearly_cancelled(call, alone))
        found += (each for each in out_of_range(call, call.arrived) if each.source in alone)
    return tuple(found)
