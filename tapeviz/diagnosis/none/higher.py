"""Question -> Finding: the target was made of a derivative, which is a number, or zero whatever its source is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from tapeviz.diagnosis.call import Call
from tapeviz.diagnosis.dialects import spoken_in
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.none.unused import last_descendant
from tapeviz.diagnosis.op_kinds import KINKED
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.source import lines
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import line_beside, same_line, site_at, words
from tapeviz.events import BackwardFinished, BackwardStarted, EventLog, OpRecorded, Site
from tapeviz.events.summary import elements_of
from tapeviz.graph import Graph, Link

GradientCall: TypeAlias = tuple[int, BackwardStarted, list[int]]
"""The position of a call, the call, and those of its results that are meant."""


def no_higher_order_record(question: Question) -> Finding | None:
    """The target was computed from a gradient that no outer tape recorded, and that depends on the source."""
    for position, call, gradients in inner_calls(question.within):
        bare = any(question.graph.producer(each) is None for each in gradients)
        if not bare or question.source not in question.within.ancestors_of(call.targets):
            continue
        if is_straight(question, call):
            continue
        site, fix = _line_to_move(question, position), question.speech.record_first
        if _ran_before(question, call) is not None:
            fix += f" Compute {question.name(call.targets[0])} in that block, too."
        return question.finding(
            "no_higher_order_record",
            site,
            f"The gradient taken at {words(site)} {question.speech.first_order}, and {question.outcome}.",
            fix,
            evidence=[position],
        )
    return None


def differentiated_before(question: Question) -> Finding | None:
    """The tape recorded a derivative, but was opened after what is differentiated had been computed."""
    for position, call, _ in inner_calls(question.within):
        made, opened = _ran_before(question, call), question.call.opened
        if made is None or opened is None or position < opened:
            continue
        if question.source not in question.within.ancestors_of(call.targets):
            continue
        name, site = question.name(call.targets[0]), site_at(question.log, made)
        return question.finding(
            "outside_tape",
            site,
            f"{name} was computed at {words(site)}, before {question.speech.tape} was opened at "
            f"{words(site_at(question.log, opened))}: the gradient taken at {words(site_at(question.log, position))} "
            f"reads {question.source_name} from there, where {question.speech.tape} did not follow it, and "
            f"{question.outcome}.",
            f"Compute {name} inside {question.speech.block}, too: that tape is to be opened first.",
            evidence=[made, position],
        )
    return None


def _ran_before(question: Question, call: BackwardStarted) -> int | None:
    """The position of the op that made what a call differentiates, if it ran before the question's tape was opened."""
    made, opened = question.graph.producer(call.targets[0]), question.call.opened
    return made if made is not None and opened is not None and made < opened else None


def is_straight(question: Question, call: BackwardStarted) -> bool:
    """Whether a gradient call is by the question's source, and no VJP of it asks for anything made of that."""
    graph, source = question.graph, question.source
    if source not in call.sources:
        return False
    onward = graph.descendants([source])
    positions = {link.position for link in graph.back(call.targets) if link.tail in onward and link.slot is not None}
    ops = [graph.ops[each] for each in positions]
    return all(isinstance(op, OpRecorded) and onward.isdisjoint(op.saved) for op in ops)


def _line_to_move(question: Question, position: int) -> Site | None:
    """The line of an inner gradient call, or of the call around it that is beside the outer tape's block."""
    log, call, site = question.log, question.call, site_at(question.log, position)
    if log.customs.records_always or call.opened is None or site is None:
        return site
    op = call.once(("op in the function", position), lambda: _op_in_function(question.graph, site, position))
    line = None if op is None else line_beside(log, op, site_at(log, call.opened), call.history.scopes)
    return site if line is None or line == site_at(log, op) else line


def _op_in_function(graph: Graph, site: Site, before: int) -> int | None:
    """The last op before a gradient call that ran in the function of the call, which has no scope of its own."""
    for position in range(before, -1, -1):
        its = site_at(graph.log, position) if position in graph.ops else None
        if its is not None and (its.filename, its.function) == (site.filename, site.function):
            return position
    return None


def constant_derivative(question: Question) -> Finding | None:
    """The target is a gradient with respect to the source, and the source does not occur in it."""
    for position, call, _ in inner_calls(question.within):
        if question.source not in call.sources:
            continue
        made = question.made_on(call.targets[0])
        name = question.source_name
        return question.finding(
            "constant_by_construction",
            made,
            f"{question.introduced(call.targets[0])}, is a straight line in {name}: its derivative does not depend on "
            f"{name}, so the second derivative is zero, which {question.speech.tape} reports as None.",
            question.speech.read_as_zero,
            evidence=[question.made_at(call.targets[0]), position],
        )
    return None


def only_differentiated(question: Question) -> Finding | None:
    """What was computed from the source takes part by its derivative alone, which does not change with the source."""
    for position, call, results in inner_calls(question.within):
        whole = question.within.ancestors_of(call.targets)
        if question.source not in whole or any(question.graph.producer(each) is None for each in results):
            continue
        name, source, speech = question.name(call.targets[0]), question.source_name, question.speech
        made, taken = question.made_on(call.targets[0]), site_at(question.log, position)
        others = [each for each in question.call.sources if each in question.call.reached]
        return question.finding(
            "constant_by_construction",
            taken,
            f"{name}, made at {words(made)}, takes part in {question.target_name} only by its derivative, taken at "
            f"{words(taken)}, and that does not change with {source}, as with whatever is only added: "
            f"{question.outcome}.",
            f"If that is meant, all is well. Otherwise use {name} itself in {question.target_name}, too, as a boundary "
            f"value does{speech.or_leaving(source)}.",
            severity="hint" if others else "error",
            evidence=[question.made_at(call.targets[0]), position],
        )
    return None


def flat_derivative(question: Question) -> Finding | None:
    """The target reads a zero where a derivative of a derivative by the source stood: the framework computed none."""
    graph, last = question.graph, last_descendant(question)
    call, target = question.call, question.target
    if question.log.customs.logs_inner_calls and not call.begun_inside:
        return None
    zeros = call.once(("zeros", target), lambda: _zeros(call, target))
    if last is None or not any(_is_in_place(question, each, last) for each in zeros):
        return None
    line = question.made_on(last)
    read = {link.position for link in call.links_to(target)}
    kinks = [op for at, op in graph.ops.items() if op.op in KINKED and at not in read]
    what, site, cure = "a straight line", line, "an expression that curves"
    if kinks:
        site = None if kinks[0].site is None else question.log.sites[kinks[0].site]
        what = f"{question.called(kinks[0])} at {words(site)}"
        cure = f"a smooth function in place of {question.called(kinks[0])}, such as `tf.tanh` or `tf.math.softplus`"
    return question.finding(
        "constant_by_construction",
        site,
        f"The second derivative of {what} is zero wherever there is one, so what is taken at {words(line)} does not "
        f"change with {question.source_name}, and {question.outcome}.",
        f"Use {cure}.",
        evidence=[graph.producer(last)],
    )


def _zeros(call: Call, target: int) -> list[Link]:
    """The readings of plain zeros by what took part in a target."""
    return [each for each in call.links_to(target) if each.slot is not None and _is_plain_zero(call.log, each.tail)]


def _is_plain_zero(log: EventLog, tensor: int) -> bool:
    value = elements_of(log.value(tensor)) if log.tensors[tensor].role == "literal" else None
    return value is not None and not value.any()


def _is_in_place(question: Question, zero: Link, tensor: int) -> bool:
    """Whether a zero is read in the place of a tensor: at the line that made that, or under its name."""
    name, site = question.log.tensors[tensor].name, site_at(question.log, zero.position)
    if site is None or same_line(site, question.made_on(tensor)):
        return site is not None
    return name is not None and question.call.texts.of(site).operand(site, zero.slot or 0) == name


def flat_again(call: Call, sources: Iterable[int]) -> Iterator[Finding]:
    """A derivative of a derivative is zero in every entry: of what bends nowhere.

    It is the call's own, with which nothing was computed yet, or one that the target was computed from.
    """
    graph, log = call.graph, call.log
    for position, inner, results in (*inner_calls(call), *_own(call)):
        values = [elements_of(log.value(each)) for each in results]
        first = inner_calls(call.about(inner.targets[0]))
        if not first or any(each is None or each.any() for each in values):
            continue
        through = {link.position for link in graph.back([each for _, outer, _ in first for each in outer.targets])}
        kinks = [at for at, op in graph.ops.items() if at in through and op.op in KINKED]
        if not kinks:
            continue
        site, speech = site_at(log, kinks[0]), spoken_in(log)
        given = lines.assigned(site_at(log, position)) if len(results) == 1 else None
        name = name_of(graph, results[0]) if given is None else f"`{given}`"
        kink = f"`{speech.op(graph.ops[kinks[0]].op)}`"
        yield Finding.at(
            log,
            "constant_by_construction",
            site,
            f"{name}, taken at {words(site_at(log, position))}, is zero in all of its entries: the second derivative "
            f"of {kink} at {words(site)} is zero wherever there is one, so {name} teaches nothing.",
            f"Use a smooth function in place of {kink}, such as `tf.tanh` or `tf.math.softplus`.",
            kinks[0],
            position,
            symptom="zero",
            severity="hint" if position == call.position else "warning",
            target=call.targets[0],
        )


def _own(call: Call) -> Iterator[GradientCall]:
    """A call itself, if no later one differentiates what was computed with its results."""
    started = None if call.position is None else call.log.events[call.position]
    if call.position is None or not isinstance(started, BackwardStarted):
        return
    later = call.log.events[call.position :]
    for event in later:
        if isinstance(event, BackwardFinished) and event.run == started.run:
            results = [each for each in event.gradients if each is not None]
            asked = {target for each in later if isinstance(each, BackwardStarted) for target in each.targets}
            if results and asked.difference(started.targets).isdisjoint(call.graph.descendants(results)):
                yield call.position, started, results
            return


def inner_calls(call: Call) -> list[GradientCall]:
    """The gradient calls whose results took part in the target of a call."""
    return call.once("inner calls", lambda: list(_inner_calls(call)))


def _inner_calls(call: Call) -> Iterator[GradientCall]:
    started: dict[int, tuple[int, BackwardStarted]] = {}
    for position in call.marks:
        event = call.log.events[position]
        if isinstance(event, BackwardStarted):
            started[event.run] = (position, event)
        elif isinstance(event, BackwardFinished):
            results = [each for each in event.gradients if each is not None and each in call.own_ancestors]
            if results:
                yield *started[event.run], results
