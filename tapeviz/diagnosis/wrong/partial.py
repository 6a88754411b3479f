"""GradientCall -> Findings about gradients that arrive but lack terms of the target."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.none.higher_order import inner_calls, no_higher_order_record
from tapeviz.diagnosis.none.recording_gap import cut_off
from tapeviz.diagnosis.op_kinds import ADDITIVE, is_packages_function
from tapeviz.diagnosis.paths.trail import STOP
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wrong.shapes import passed_in
from tapeviz.events import Site
from tapeviz.events.summary import has_same_elements
from tapeviz.graph import is_real
from tapeviz.source.lines import stops_here
from tapeviz.source.places import site_at

ACCIDENTS = frozenset({"outside_tape", "no_higher_order_record", "left_to_numpy", "rebuilt_as_leaf", "through_state"})
"""How a term becomes constant without anyone having asked for it."""

ESCAPES = frozenset({"outside_tape", "no_higher_order_record", "left_to_numpy"})
"""Those of them that are worth a hint where the part is a factor or an offset."""

PYTHON_NUMBERS = frozenset({"float()", "int()", ".item()", ".tolist()"})
"""Read-outs that give Python's own numbers, not arrays to go on computing with."""

MOST = 16
"""Factors and offsets of one line that are looked at."""


def lost_parts(call: GradientCall, sources: Iterable[int]) -> Iterator[Finding]:
    """Part of the target is constant to the tape, though made from a source that gets a gradient through other parts.

    Where the part is a mere term, a constant is of no use to any gradient there, so that it was meant to count is very
    likely, unless it was held back on purpose. A factor or an offset may well be constant on purpose. Where the source
    was written since, the part belongs to an earlier value of it, and nothing is said.
    """
    wanted = set(sources)
    for part, is_term in _few_per_line(call, _constant_parts(call)):
        for source in sorted(wanted & _made_from(call, part)):
            question = Question(call, source, part)
            finding = no_higher_order_record(question) or cut_off(question)
            if finding is None or _written_since(call, source, min(finding.evidence[0], _used_at(question))):
                continue
            if is_term:
                by_a_library = finding.cause == "stop_gradient" and not _is_stopped_here(finding)
                if by_a_library or _goes_straight_through(call, part):
                    continue
                likely = finding.cause in ACCIDENTS and not _is_python_number(question)
                yield replace(finding, severity="warning" if likely else "hint")
            elif finding.cause in ESCAPES:
                yield perhaps_meant(finding)


def half_held_back(call: GradientCall, sources: Iterable[int]) -> Iterator[Finding]:
    """A tensor meets a copy of itself as a factor, which no gradient passes: half of the slope of a square is lost."""
    for tensor, part in _times_their_copies(call):
        for source in (each for each in sources if call.is_made_of(tensor, each)):
            if call.is_made and call.numbers.badness(call.gradients[source]) is not None:
                continue  # where it is zero or not finite, that is what there is to say
            finding = cut_off(Question(call, source, part))
            if finding is not None and _is_stopped_here(finding):
                yield perhaps_meant(finding)


def _times_their_copies(call: GradientCall) -> Iterator[tuple[int, int]]:
    """The tensors that are multiplied by copies of themselves which no gradient passes, and these copies."""
    for position in passed_in(call):
        op = call.graph.ops[position]
        for tensor, part in (op.inputs[:2], op.inputs[1::-1]) if op.op == "mul" and len(op.inputs) == 2 else ():
            made = call.graph.op_of(part)
            if made is not None and made.op == STOP and made.inputs[0] == tensor:
                yield tensor, part


def perhaps_meant(finding: Finding) -> Finding:
    """A hint of what holds a gradient back, and may be there on purpose."""
    return replace(finding, severity="hint", fix=f"{finding.fix} If it is meant to be constant, all is well.")


def held_back(call: GradientCall, source: int) -> Finding | None:
    """What holds a gradient back that is zero on its other paths, where the framework asked for none of one term.

    So JAX does with what a step gave, and TensorFlow with what was read out. What a library stops, as in a softmax,
    has no part in a gradient.
    """
    for part in call.once("terms that were not asked for", lambda: list(_terms_not_asked_for(call))):
        finding = cut_off(Question(call, source, part)) if part != source and call.is_made_of(part, source) else None
        if finding is not None and (finding.cause != "stop_gradient" or _is_stopped_here(finding)):
            return replace(finding, severity="hint", symptom="zero")
    return None


def _terms_not_asked_for(call: GradientCall) -> Iterator[int]:
    """What is added in an op whose step gives it nothing."""
    for step in call.run.steps:
        op = call.graph.ops[step.op]
        if op.op in ADDITIVE:
            asked = {each.slot for each in step.contributions}
            yield from (each for slot, each in enumerate(op.inputs) if slot not in asked)


def _goes_straight_through(call: GradientCall, part: int) -> bool:
    """Whether a term gives a tensor another value and leaves it its gradient: `x + stop_gradient(y - x)`."""
    stop = call.graph.op_of(part)
    change = call.graph.op_of(stop.inputs[0]) if stop is not None and stop.op == STOP else None
    if change is None or change.op != "sub":
        return False
    readers = (call.graph.ops[position] for position, _ in call.graph.consumers(part))
    beside = [each for op in readers if op.op in ADDITIVE for each in op.inputs if each != part]
    value = call.log.value  # an expression that is written twice is two tensors
    return any(
        each == other or has_same_elements(value(each), value(other)) for each in beside for other in change.inputs
    )


def _is_stopped_here(finding: Finding) -> bool:
    """Whether a line of the program's holds a gradient back, and not a library that it calls."""
    return finding.cause == "stop_gradient" and stops_here(finding.site)


def _is_python_number(question: Question) -> bool:
    """Whether the value was read out as one plain number, as who wants a constant does."""
    cuts = question.within.trail.cuts(question.source)
    return any(cut.kind == "read_out" and cut.link.how in PYTHON_NUMBERS for cut in cuts or ())


def _few_per_line(call: GradientCall, parts: dict[int, bool]) -> Iterator[tuple[int, bool]]:
    """The parts without those of a long loop that only say again what its line did before."""
    seen: Counter[Site | None] = Counter()
    for part, is_term in parts.items():
        maker = call.graph.producer(part)
        copies = [link.position for link in call.graph.links_into(part, call.position) if link.slot is None]
        line = site_at(call.log, maker if maker is not None else max(copies, default=None))
        seen[line] += not is_term
        if is_term or seen[line] <= MOST:
            yield part, is_term


def _made_from(call: GradientCall, part: int) -> set[int]:
    """What took part in a part of the target, be it by way of a gradient."""
    alone = call.about(part)
    differentiated = [target for _, inner, _ in inner_calls(alone) for target in inner.targets]
    return alone.own_ancestors | call.ancestors_of(differentiated)


def _constant_parts(call: GradientCall) -> dict[int, bool]:
    """The parts of the targets that the tape takes for constants: terms, and what no tape saw or what came back to it.

    So is a gradient that was not recorded, wherever it stands. Integers are no parts: no gradient could pass them. What
    is copied into a variable after it was read, as by an optimizer, has no part in what was computed of it.

    The value says whether a part is a mere term of a target.
    """
    parts: dict[int, bool] = {}
    terms = dict.fromkeys(call.targets, True)
    waiting = list(call.targets)
    read_at: dict[int, int | None] = dict.fromkeys(call.targets, call.position)
    gradients = {each for _, _, results in inner_calls(call) for each in results}
    while waiting:
        tensor = waiting.pop()
        op = call.graph.op_of(tensor)
        copied = op is None and any(link.slot is None for link in call.graph.links_into(tensor, read_at[tensor]))
        passes = tensor in call.followed and not copied and (op is None or op.op != STOP)
        bare = tensor in gradients and op is None
        if (terms[tensor] and not passes) or copied or bare or (op is not None and not op.tapes):
            parts[tensor] = terms[tensor]
        elif op is not None and dict(op.tapes).get(call.tape) in ("recorded", "unwatched"):
            inherited = terms[tensor] and op.op in ADDITIVE
            fresh = [each for each in op.inputs if each not in terms or (inherited and not terms[each])]
            if is_packages_function(op):  # it may give the gradient of what it computed by NumPy, as a solver
                fresh = [each for each in fresh if each in call.followed]
            terms.update(dict.fromkeys(fresh, inherited))
            read_at.update(dict.fromkeys(fresh, call.graph.producer(tensor)))
            waiting += fresh
    return {part: is_term for part, is_term in parts.items() if is_real(call.log.tensors[part].dtype)}


def _used_at(question: Question) -> int:
    """The position at which the source's value was taken for the part; the end where no link leads there."""
    links = question.within.trail.links(question.source)
    if not links:
        return len(question.log.events)
    if links[0].slot is not None:
        return links[0].position
    readings = question.graph.read_outs.get(question.source, [])
    at = bisect_left(readings, links[0].position)
    return readings[at - 1] if at else links[0].position


def _written_since(call: GradientCall, source: int, position: int) -> bool:
    """Whether a variable was written after a position and before the call; elsewhere than in the part itself."""
    writes = call.graph.writes.get(source, [])
    at = bisect_left(writes, position)
    return at < len(writes) and (call.position is None or writes[at] < call.position)
