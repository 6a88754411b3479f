"""Question -> Finding: no path leads from the source to the target, so the question itself is off."""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import or_
from typing import TypeAlias

import numpy as np

from tapeviz.diagnosis.custom import captured
from tapeviz.diagnosis.edits import calls, values
from tapeviz.diagnosis.edits.arguments import by_the_parameters
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.none.constant_derivative import constant_derivative, flat_derivative, only_differentiated
from tapeviz.diagnosis.none.control_flow import used_in_control_flow
from tapeviz.diagnosis.none.higher_order import no_higher_order_record
from tapeviz.diagnosis.none.made_of_numbers import made_of_numbers
from tapeviz.diagnosis.none.once_differentiable import cut_off_by_own_gradient
from tapeviz.diagnosis.none.other_object import made_anew, other_tape, remade, replaced
from tapeviz.diagnosis.none.recomputed import computed_again
from tapeviz.diagnosis.none.sources import integer_source, not_trainable
from tapeviz.diagnosis.none.target_network import of_a_twin
from tapeviz.diagnosis.none.unused import unused_source
from tapeviz.diagnosis.numbers.moves import MOVES
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.recording.closures import late_bound
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.places import origin, words
from tapeviz.events import EventLog, LeafCreated
from tapeviz.events.summary import elements_of
from tapeviz.graph import Link, combined_before, is_real
from tapeviz.phrases import quoted, unquoted
from tapeviz.source.edits import Edit
from tapeviz.source.places import site_at
from tapeviz.source.syntax import OF_A_TAPE


def swapped_arguments(question: Question) -> Finding | None:
    """The target took part in the source, not the other way round."""
    call = question.call
    if question.source in call.targets or not _took_part(question):
        return None
    target, source = question.target_name, question.source_name
    asked = "The question" if call.position is None else f"The call at {words(call.site)}"
    return question.finding(
        "swapped_arguments",
        question.made_on(question.source) if call.position is None else call.site,
        f"{asked} asks for the gradient of {target} with respect to {source}, but {source} was computed from {target}: "
        "the arguments are swapped.",
        _swapped(question),
        evidence=[question.made_at(question.source)],
    )


def _took_part(question: Question) -> bool:
    """Whether the target is on a path of the gradient to the source; a leaf, on any path at all."""
    graph, call, target = question.graph, question.call, question.target
    if not graph.links_into(question.source):
        return False

    def give(link: Link) -> bool | None:
        return link.tail == target or None

    passed = call.once(("passed on", target), lambda: combined_before(graph, give, or_, call.passes))
    return question.source in passed or (graph.producer(target) is None and graph.leads_to(target, question.source))


def _swapped(question: Question) -> Fix | None:
    """The call with its arguments the other way round, if it is written out or the two have names."""
    names = [unquoted(each) for each in (question.target_name, question.source_name)]
    written = question.call.arguments[:2] if len(question.call.arguments) > 1 else names
    if written is names and not all(each.isidentifier() for each in names):
        return None
    call = question.say("gradient call", target=written[1], source=written[0])
    return Fix(f"The target comes first: {call}.", calls.swapped(question.editor, question.call.site))


def source_is_other_object(question: Question) -> Finding | None:
    """The target was computed from a tensor that looks like the source: a part or copy of it, or its twin."""
    twin = next(_lookalikes(question), None)
    if twin is None:
        return None
    asked = name = question.source_name
    fix: str | Fix
    other = question.name(twin)
    site, there = question.made_on(question.source), question.made_on(twin)
    target = question.target_name
    if site == there:
        told = f"{name} and the tensor that {target} was computed from are two tensors, both made at {words(site)}"
        asked_for = f"Ask for the gradient with respect to the tensor that was used, or compute the target from {name}"
        once = values.kept_once(question.editor, site)
        fix = Fix(f"{asked_for}{'.' if once is None else f'; or make it once: `{once.code}`.'}", once)
    elif name == other:
        asked = "the source"
        told = (
            f"{target} was computed from the {name} {origin(there)}; the source is another of that name, {origin(site)}"
        )
        fix = "Ask for the gradient with respect to the one that was used, or compute the target from the other."
    else:
        made = question.graph.op_of(question.source)
        is_copy = made is None or made.op == "identity"
        if is_copy and not question.is_named(question.source):
            asked = name = "the copy"
        holds = f"is a copy of {other}" if is_copy else f"holds numbers of {other}"
        told = f"{question.introduced(question.source)}, {holds}, but {target} was made from {other} itself"
        fix = Fix(
            f"Ask for the gradient with respect to {other}, or compute the target from {name}.",
            _asked_by_parents(question),
        )
    return question.finding(
        "source_is_other_object",
        site,
        f"{told}: nothing leads from {asked} to {target}, so {asked} {question.say('gets None')}.",
        fix,
        evidence=[question.made_at(question.source), question.made_at(twin)],
    )


def _asked_by_parents(question: Question) -> Edit | None:
    """The call asks by what the source was made of, if it can be written there."""
    parents = dict.fromkeys(link.tail for link in question.graph.links_into(question.source))
    names = [unquoted(question.name(each)) for each in parents if question.is_named(each)]
    site, own = question.call.site, unquoted(question.source_name)
    if site is None or len(names) != len(parents) or not all(question.editor.knows(site, each) for each in names):
        return None
    return calls.asked_by(question.editor, site, own, names[0] if len(names) == 1 else f"[{', '.join(names)}]")


def _lookalikes(question: Question) -> Iterator[int]:
    """What the source was made of, if it holds the same numbers; and what was made where it was, but not asked for."""
    call, source = question.call, question.source
    parents = [link.tail for link in question.graph.links_into(source)]
    if parents and set(parents) <= call.led_to_reached and _is_rearranged(question, parents):
        yield from (each for each in parents if each in call.reached)
    own = question.leaf
    is_meant = not call.named and bool(question.graph.links_from(source))  # it is read, and leads elsewhere
    if own is not None and own.site is not None and not is_meant:
        twins = call.once("twins", lambda: _by_looks(call))
        for looks in _looks(question.log, source, own):
            yield from twins.get(looks, ())


Looks: TypeAlias = tuple[int | None, tuple[int, ...], str | None]
"""The line that made a leaf, its shape and its name; of one with a path for a name, as layers give it, no line."""


def _looks(log: EventLog, tensor: int, leaf: LeafCreated) -> Iterator[Looks]:
    row = log.tensors[tensor]
    yield leaf.site, row.shape, None if row.name is None else _last_word(row.name)
    if row.name is not None and "/" in row.name:
        yield None, row.shape, row.name


def _last_word(name: str) -> str:
    """`ws[3]` is one of `ws`, and `net.layers[0].w` is `w` as that of any other layer is."""
    return re.sub(r"\[[^][]*\]", "", name).rpartition(".")[2]


def _by_looks(call: GradientCall) -> dict[Looks, list[int]]:
    """By their looks, the leaves that the gradient arrives at without their being asked for."""
    if call.position is None:
        return {}
    found: dict[Looks, list[int]] = {}
    for tensor in call.reached_unnamed:
        position = call.graph.leaves[tensor]
        leaf = None if position is None else call.log.events[position]
        if isinstance(leaf, LeafCreated):
            for looks in _looks(call.log, tensor, leaf):
                found.setdefault(looks, []).append(tensor)
    return found


def _is_rearranged(question: Question, parents: list[int]) -> bool:
    """Whether the source holds its parents' numbers and no others: a copy, a slice, a stack.

    Where the numbers are not kept, the op that made it says so.
    """
    op = question.graph.op_of(question.source)
    if op is None and len(parents) == 1:
        return True
    own, *others = (elements_of(question.log.value(each)) for each in (question.source, *parents))
    known = [each.reshape(-1) for each in others if each is not None]
    if own is None or len(known) < len(others):
        return op is not None and op.op in MOVES
    return bool(own.size) and bool(np.isin(own, np.concatenate(known)).all())


def unknown_origin(question: Question) -> Finding | None:
    """The target was computed from the result of an op that ran before this recording: whence, is not known."""
    graph, log, call = question.graph, question.log, question.call
    tensor = call.once("unknown origin", lambda: _orphan(call))
    if tensor is None:
        return None
    position, slot = next(iter(graph.consumers(tensor)), (None, 0))
    site, say = site_at(log, position), question.say
    if site is not None and any(call.texts.of(site).call(site, each) for each in OF_A_TAPE):
        return question.finding(
            "no_higher_order_record",
            site,
            f"The gradient taken at {words(site)} was taken before this recording began, so for {say('the tape')} it "
            f"is a number: if {question.source_name} took part in it, no gradient passes.",
            f"Take it inside {say('the block')}.",
            severity="warning",
            evidence=[position],
        )
    own = None if site is None else call.texts.of(site).operand(site, slot)
    name = question.name(tensor) if own is None else quoted(own)
    return question.finding(
        "outside_tape",
        site,
        f"{name}, read at {words(site)}, was computed where this recording does not see it, earlier or in another "
        f"thread, so {say('the tape')} does not know from what: if {question.source_name} took part in it, no gradient "
        "passes.",
        f"Compute it inside {say('the block')}.",
        severity="warning",
        evidence=[position],
    )


def _orphan(call: GradientCall) -> int | None:
    """A tensor that took part in the target and is the result of an op that the log does not hold."""
    rows = (call.log.tensors[each] for each in sorted(call.ancestors) if call.graph.producer(each) is None)
    return next((row.id for row in rows if row.role == "intermediate" or row.dtype == "unknown"), None)


def refused(question: Question) -> Finding | None:
    """The source is of a type that the framework takes no gradient by, though the target does without it."""
    if not question.log.facts.takes_real_sources_only or is_real(question.log.tensors[question.source].dtype):
        return None
    site = question.made_on(question.source)
    edit = question.call.once("by the parameters", lambda: by_the_parameters(question, site))
    whole = f"Hand {question.source_name} over beside what is differentiated; what is to learn has to be a float."
    return integer_source(question, Fix(whole, edit))


RULES = (
    refused,
    not_trainable,
    swapped_arguments,
    no_higher_order_record,
    cut_off_by_own_gradient,
    constant_derivative,
    flat_derivative,
    late_bound,
    made_anew,
    remade,
    replaced,
    source_is_other_object,
    computed_again,
    made_of_numbers,
    other_tape,
    unknown_origin,
    used_in_control_flow,
    of_a_twin,
    only_differentiated,
    captured,
    unused_source,
)
"""In this order; the first that fits holds. They need that no path leads from the source to the target."""
