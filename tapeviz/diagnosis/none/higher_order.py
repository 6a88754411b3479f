"""Question -> Finding: the target was made of a derivative that the tape did not record: for it that is a number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from tapeviz.diagnosis.edits import calls, moving
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.op_kinds import is_packages_function
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import BackwardFinished, BackwardStarted, EventLog, OpRecorded, Site, VjpApplied
from tapeviz.events.catalog import KEEPS_OWN
from tapeviz.graph import AncestorSets, Graph, Op
from tapeviz.source.edits import Edit
from tapeviz.source.places import line_beside, site_at

InnerCall: TypeAlias = tuple[int, BackwardStarted, list[int]]
"""The position of a gradient call on the way to a target, its event, and those of its results that are meant."""


def no_higher_order_record(question: Question) -> Finding | None:
    """The target was computed from a gradient that no outer tape recorded, and that depends on the source."""
    for position, call, gradients in inner_calls(question.within):
        bare = any(question.graph.producer(each) is None for each in gradients)
        if not bare or call.create_graph or question.source not in question.within.ancestors_of(call.targets):
            continue
        if is_straight(question, call):
            continue
        site, fix = _line_to_move(question, position), Fix(question.say("record the first gradient"))
        if _ran_before(question, call) is not None:
            fix = Fix(f"{fix.text} Compute {question.name(call.targets[0])} in that block, too.")
        else:
            fix = Fix(fix.text, _recorded_too(question, site))
        return question.finding(
            "no_higher_order_record",
            site,
            f"The gradient taken at {words(site)} {question.say('not differentiable again')}, and {question.outcome}.",
            fix,
            evidence=[position],
        )
    return None


def _recorded_too(question: Question, site: Site | None) -> Edit | None:
    """The first gradient call is recorded, as its framework has that."""
    if question.log.facts.records_always:
        return calls.with_option(question.editor, site, calls.GRADIENT_CALLS, "create_graph", "True")
    return moving.into_end_of_block(question.editor, site, site_at(question.log, question.call.opened))


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
            f"{name} was computed at {words(site)}, before {question.say('the tape')} was opened at "
            f"{words(site_at(question.log, opened))}: the gradient taken at {words(site_at(question.log, position))} "
            f"reads {question.source_name} from there, where {question.say('the tape')} did not follow it, and "
            f"{question.outcome}.",
            f"Compute {name} inside {question.say('the block')}, too: that tape is to be opened first.",
            evidence=[made, position],
        )
    return None


def _ran_before(question: Question, call: BackwardStarted) -> int | None:
    """The position of the op that made what a call differentiates, if it ran before the question's tape was opened."""
    made, opened = question.graph.producer(call.targets[0]), question.call.opened
    return made if made is not None and opened is not None and made < opened else None


def is_straight(question: Question, call: BackwardStarted) -> bool:
    """Whether a gradient call is by the question's source, and no VJP of it asks for anything made of that."""
    if question.source not in call.sources:
        return False
    parts = question.call.parts(call.sources)
    curved = question.call.once(("curved", call.run), lambda: _curved(question.graph, call, parts))
    return not curved & parts.within((question.source,))


def _curved(graph: Graph, call: BackwardStarted, parts: AncestorSets) -> int:
    """The sources that the VJPs of a call ask for, or for what was made of them; all that an unrecorded op reads."""
    found = 0
    for position in {link.position for link in graph.back(call.targets) if link.slot is not None}:
        op = graph.ops[position]
        read = parts.within(op.inputs)
        if isinstance(op, OpRecorded) and not keeps_elsewhere(op):
            read &= parts.within(set(op.saved).intersection(_read_by_vjps(graph.log, op, parts)))
        found |= read
    return found


def keeps_elsewhere(op: Op) -> bool:
    """Whether it is a function with its own gradient, of which is not known what that is made of."""
    return KEEPS_OWN in op.attrs or (is_packages_function(op) and isinstance(op, OpRecorded) and not op.saved)


def _read_by_vjps(log: EventLog, op: OpRecorded, parts: AncestorSets) -> Iterator[int]:
    """What the VJPs of an op read that are asked for. A framework may keep more, as TensorFlow does."""
    row = log.row_of(op)
    if row is None:
        yield from op.saved
        return
    passing = [row.argument(slot) for slot, each in enumerate(op.inputs) if parts.within((each,))]
    names = {name for argument in passing for name in (row.reads(argument) if argument else row.arguments)}
    yield from (each for slot, each in enumerate(op.inputs) if row.argument(slot) in names)
    if "out" in names or None in passing:
        yield from op.outputs


def _line_to_move(question: Question, position: int) -> Site | None:
    """The line of an inner gradient call, or of the call around it that is beside the outer tape's block."""
    log, call, site = question.log, question.call, site_at(question.log, position)
    if log.facts.records_always or call.opened is None or site is None:
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


def inner_calls(call: GradientCall) -> list[InnerCall]:
    """The gradient calls whose results took part in the target of a call."""
    return call.once("inner calls", lambda: list(_inner_calls(call)))


def _inner_calls(call: GradientCall) -> Iterator[InnerCall]:
    started: dict[int, tuple[int, BackwardStarted]] = {}
    for position, event in call.log.of_kind(BackwardStarted, BackwardFinished).items():
        if isinstance(event, BackwardStarted):
            started[event.run] = (position, event)
            continue
        results = [each for each in event.gradients if each is not None and each in call.own_ancestors]
        if results:
            yield *started[event.run], results


def steps_of(log: EventLog, call: BackwardStarted) -> Iterator[VjpApplied]:
    """The VJPs of a gradient call, in its order."""
    return (each for each in log.of_kind(VjpApplied).values() if each.run == call.run)


def own_call(call: GradientCall) -> Iterator[InnerCall]:
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
