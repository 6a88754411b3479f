"""Question or call -> Findings about the user's own gradient functions that gave no gradient, or a wrong one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import TypeAlias

import numpy as np

from tapeviz.diagnosis.edits import calls, following
from tapeviz.diagnosis.error.messages import MessagePart, errors_saying, last_before
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.op_kinds import is_packages
from tapeviz.diagnosis.own_rules import forgets_upstream, gradient_function, is_in_the_text
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.places import words
from tapeviz.diagnosis.wording.spelling import described
from tapeviz.events import BackwardStarted, OpRecorded, OpSkipped, ReadOut, Site, VjpApplied
from tapeviz.events.catalog import CAPTURED
from tapeviz.events.summary import elements_of
from tapeviz.graph import OF_A_SHAPE, Graph, Link, Op
from tapeviz.phrases import quoted
from tapeviz.source.lines import numpy_within
from tapeviz.source.places import site_at
from tapeviz.source.text import Texts

_NUMBER = (
    "returned the wrong number of gradients",
    "Return one gradient for each input of the function, each times the upstream gradient; None for an input that has "
    "none.",
)
_VARIABLES = (
    "does not take the variables that its function reads",
    "Give the gradient function an argument `variables=None`, and let it return two things: the gradients of the "
    "inputs, and a list with those of the variables.",
)
WRONG_ANSWERS = {
    MessagePart.WRONG_COUNT: _NUMBER,
    MessagePart.INCORRECT_NUMBER: _NUMBER,
    MessagePart.WITHOUT_VARIABLES: _VARIABLES,
    MessagePart.OF_NO_TENSOR: (
        "returned a gradient in the place of an input that is no tensor",
        "Return the gradients in the order of the inputs of `forward`, with None for each that is no tensor.",
    ),
    MessagePart.INVALID: (
        "returned a gradient that does not fit the input in its place",
        "Return the gradients in the order of the inputs of `forward`, each with the shape of its input: what was "
        "broadcast is summed up.",
    ),
}
"""Part of an error's message -> what was wrong with the gradient function, and the right one."""


def wrong_answer(graph: Graph) -> Iterator[Finding]:
    """A user's gradient function takes, or returned, something that does not match the inputs of its function."""
    for part, wrong in WRONG_ANSWERS.items():
        for position, error in errors_saying(graph, part):
            ran = last_before(graph, position, BackwardStarted, VjpApplied, OpRecorded, OpSkipped)
            ended = ran if ran is not None and ran in graph.ops else position
            said = error.message[:1].lower() + error.message[1:]
            blamed = [at for at, op in graph.ops.items() if at < position and f"function {op.op}Backward " in said]
            if blamed or part is not MessagePart.INVALID:  # else the framework's own, of what a hook or a cast changed
                yield _wrong_answer(graph, position, ended, blamed, error.message, *wrong)


def _wrong_answer(
    graph: Graph, position: int, ran: int, blamed: list[int], message: str, wrong: str, fix: str
) -> Finding:
    site = gradient_function(graph, Texts(graph.log), blamed[-1]) if blamed else site_at(graph.log, ran)
    failed = site_at(graph.log, position)
    return Finding.at(
        graph.log,
        "custom_gradient_bug",
        site,
        f"The gradient function {_where(site, failed)} {wrong}, so the call at {words(failed)} failed: "
        f"{message.partition('. ')[0].partition(': ')[0].rstrip('.')}.",
        fix,
        *blamed[-1:],
        ran,
        position,
    )


def _where(site: Site | None, failed: Site | None) -> str:
    called = site is not None and site == failed
    return f"of what {words(site)} calls" if called else f"that ends at {words(site)}"


def no_gradient_returned(question: Question) -> Finding | None:
    """Every link on the path passes a gradient, but a user's own gradient function returned None for its input."""
    found = returned_none(question)
    if found is None:
        return None
    link, position = found
    op = question.graph.ops[link.position]
    if link.tail in captured_by(op):
        return _read_besides(question, link.position, link.tail, position)
    if not question.log.is_users(op):
        return None
    site = gradient_function(question.graph, question.call.texts, link.position)
    around = site_at(question.log, link.position)
    if numpy_within(around) is not None:  # it takes the gradient itself, of what it was given
        return read_within(question, around, [link.position, position])
    return question.finding(
        "custom_gradient_bug",
        site,
        f"The gradient function of `{link.how}`, which ends at {words(site)}, returned None for "
        f"{question.name(link.tail)}: no gradient of {question.target_name} arrives at {question.source_name}.",
        _returning_one(question, site),
        evidence=[link.position, position],
    )


def _returning_one(question: Question, site: Site | None) -> Fix:
    """In place of a None: a gradient, which autograd gives only where it is on."""
    told = "Return a gradient for each input of the function: `upstream * derivative`."
    edit = following.recorded_inside(question.editor, site) if question.log.facts.records_always else None
    by_autograd = " One that is taken there by autograd needs `torch.enable_grad()`, which is off in it."
    return Fix(told if edit is None else told + by_autograd, edit)


def returned_none(question: Question) -> tuple[Link, int] | None:
    """The link on the path whose op was asked for the gradient of its input and gave None; the position of its VJP."""
    for link in question.call.trail.links(question.source):
        position = question.call.steps.get(link.position)
        step = None if position is None else question.log.events[position]
        if position is None or not isinstance(step, VjpApplied) or link.slot is None:
            continue
        is_asked = any(each is not None for each in step.upstream)
        if is_asked and step.cotangents[link.slot] is None:
            return link, position
    return None


def captured_by(op: Op) -> tuple[int, ...]:
    """What a user's own function reads besides its arguments."""
    count = dict(op.attrs).get(CAPTURED)
    return op.inputs[-count:] if isinstance(count, int) else ()


def captured(question: Question) -> Finding | None:
    """Nothing leads from the source to the target but what a user's own function reads besides its arguments."""
    graph = question.graph
    calls = question.call.once("own functions", lambda: _own_functions(question.call))
    for tensor in sorted(graph.descendants([question.source])) if calls else ():
        for link in graph.links_from(tensor):
            called = _called_around(graph, link.position, calls)
            if called is not None and tensor not in graph.ops[called].inputs:
                return _read_besides(question, called, tensor, link.position)
    return None


OwnFunctions: TypeAlias = dict[tuple[int | None, str], list[int]]
"""The user's own functions that took part in a target, by the scope of the call and the name; each list in order."""


def _own_functions(call: GradientCall) -> OwnFunctions:
    found: OwnFunctions = {}
    for at in sorted({at for each in call.ancestors if (at := call.graph.producer(each)) is not None}):
        op = call.graph.ops[at]
        if call.log.is_users(op) or call.log.row(op.op) is None:  # the framework may have made the gradient function
            found.setdefault((op.scope, op.op), []).append(at)
    return found


def _called_around(graph: Graph, position: int, calls: OwnFunctions) -> int | None:
    """The function of the user's own in which an op ran: its record comes after all that ran in it."""
    op, log = graph.ops.get(position), graph.log
    for scope in () if op is None else log.outward(op.scope):
        inner = log.scopes[scope]
        found = calls.get((inner.parent, inner.name), ())
        at = bisect_right(found, position)
        if at < len(found) and inner.site in (None, graph.ops[found[at]].site):  # none where a library called it
            return found[at]
    return None


def _read_besides(question: Question, position: int, tensor: int, read: int) -> Finding:
    """A user's own function reads a tensor that is none of its arguments, as an event at `read` shows."""
    site, name, op = site_at(question.log, position), described(question, tensor), question.graph.ops[position]
    script = question.script_around(op)
    if script is not None:
        return question.finding(
            "nondifferentiable_op",
            site,
            f"{script}, compiled by TorchScript and called at {words(site)}, reads {name}, and passes no gradient to "
            f"it, as after a `detach`: {question.outcome}.",
            f"Let what {script} gives be computed from {name} by ops that have a derivative.",
            evidence=[position, read],
        )
    called = own_function(question, op)
    how = "as an argument, and return a gradient for it, too"
    if is_packages(op):
        how = "among the parameters that get a gradient"
    elif not is_in_the_text(question.graph, question.call.texts, position):  # the framework makes it
        how = "as an argument"
    return question.finding(
        "custom_gradient_bug",
        site,
        f"{called}, called at {words(site)}, reads {name}, which is none of its arguments. Its gradient function "
        f"gives a gradient to these alone: {question.outcome}.",
        f"Pass {name} to {called} {how}.",
        evidence=[position, read],
    )


def own_function(question: Question, op: Op) -> str:
    """What a function with its own gradient is called, as code: that of a package's, what the line calls."""
    return question.op_name(op) if is_packages(op) else quoted(op.op)


def read_within(question: Question, line: Site | None, evidence: Iterable[int | None]) -> Finding:
    """The source is read by a function that a `py_function` calls, and is not among what that is given."""
    source, called = question.source_name, numpy_within(line)
    return question.finding(
        "unused_source",
        line,
        f"{source} {question.say('gets None')}: the function that `{called}` at {words(line)} calls reads it, and only "
        "to its inputs does a gradient pass.",
        f"Hand {source} over among the inputs of `{called}`, or call the function without it.",
        evidence=evidence,
    )


def upstream_forgotten(call: GradientCall, sources: Iterable[int]) -> Iterator[Finding]:
    """A user's own gradient function ignores the upstream gradient that it is given.

    An upstream gradient of ones needs no factor, so that nothing is wrong yet.
    """
    sources = list(sources)
    for at, position in call.steps.items():
        op, step = call.graph.ops[at], call.log.events[position]
        if not call.log.is_users(op) or not isinstance(step, VjpApplied) or not sources:
            continue
        if not _is_forgetful(call, at, step, position):
            continue
        site = gradient_function(call.graph, call.texts, at)
        question = Question(call, next((each for each in sources if each in op.inputs), sources[0]))
        yield question.finding(
            "custom_gradient_bug",
            site,
            f"The gradient function of `{op.op}`, which ends at {words(site)}, does not use the upstream gradient that "
            f"it is given: what comes after `{op.op}` has no part in the gradient of {question.source_name}.",
            Fix(
                "Multiply what it returns by the upstream gradient: `upstream * derivative`.",
                calls.times_upstream(question.editor, site),
            ),
            severity="warning",
            symptom="wrong",
            evidence=[at, position],
        )


def _is_forgetful(call: GradientCall, at: int, step: VjpApplied, position: int) -> bool:
    """Whether a gradient function ignores the upstream gradient, by how it ran or by its source."""
    if forgets_upstream(call.graph, call.texts, at):
        return not _is_stop(call, step)
    return not (_is_plain(call, step) or _reads_upstream(call, step, position))


def _is_stop(call: GradientCall, step: VjpApplied) -> bool:
    """Whether a gradient function gave only zeros, as one that is to block the gradient does."""
    given = [elements_of(call.log.value(each)) for each in step.cotangents if each is not None]
    return all(each is not None and not each.any() for each in given)


def _is_plain(call: GradientCall, step: VjpApplied) -> bool:
    """Whether the upstream gradient is ones or unknown, or is itself what the function gave."""
    upstream, given = (
        [call.log.value(each) for each in cotangents if each is not None]
        for cotangents in (step.upstream, step.cotangents)
    )
    if not upstream or any(elements_of(each) is None for each in (*upstream, *given)):
        return True
    ones = all((np.asarray(each) == 1).all() for each in upstream)
    return ones or all(any(np.array_equal(each, other) for other in upstream) for each in given)


def _reads_upstream(call: GradientCall, step: VjpApplied, position: int) -> bool:
    """Whether anything that ran in the gradient function read a tensor that came to be only then; True if none ran.

    The upstream gradient is handed over as a new tensor that no op made, or as the one that an op such as `add` handed
    on to all of its inputs.
    """
    events, start = call.log.events, position - 1
    while start >= 0 and not isinstance(events[start], (BackwardStarted, VjpApplied)):
        start -= 1
    stretch = range(start + 1, position)
    read: set[int] = set()
    ran = False
    for at in stretch:
        match events[at]:
            case OpRecorded() | OpSkipped() as op:
                ran = True
                read.update(() if op.op in OF_A_SHAPE else op.inputs)
            case ReadOut(tensor=tensor):
                ran = True
                read.add(tensor)
    if not ran or any(_is_new(call, each, stretch) for each in read):
        return True
    return not read.isdisjoint(_handed_over(call, step))


def _handed_over(call: GradientCall, step: VjpApplied) -> set[int]:
    """The upstream gradients of a step, and what the ops that sent them handed on to others of their inputs."""
    sent = call.once("sent together", lambda: _sent_together(call))
    waiting = [each for each in step.upstream if each is not None]
    found = set(waiting)
    for each in waiting:
        fresh = sent.get(each, set()) - found
        found |= fresh
        waiting += fresh
    return found


def _sent_together(call: GradientCall) -> dict[int, set[int]]:
    """Cotangent -> all that were sent by the steps that sent it."""
    found: dict[int, set[int]] = {}
    for at in call.steps.values():
        sender = call.log.events[at]
        sent = {each for each in sender.cotangents if each is not None} if isinstance(sender, VjpApplied) else set()
        for each in sent:
            found.setdefault(each, set()).update(sent)
    return found


def _is_new(call: GradientCall, tensor: int, stretch: range) -> bool:
    """Whether a tensor that no op made, and no line of the text, was first read in a stretch of the log."""
    graph = call.graph
    if graph.producer(tensor) is not None or call.log.tensors[tensor].role == "literal":
        return False
    created = graph.leaves.get(tensor)
    first = created if created is not None else next((at for at, _ in graph.consumers(tensor)), stretch.start)
    return first in stretch and (created is None or site_at(call.log, created) is None)


RULES = (no_gradient_returned,)
"""For a path without any cut."""
