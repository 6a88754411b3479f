"""Question or call -> Findings: a derivative that does not change with its source, so that its own is zero or None.

Such is the derivative of a straight line, and that of a kink, which is two of them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.diagnosis.edits.formulas import smooth_kink
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.none.higher_order import inner_calls, is_straight, own_call
from tapeviz.diagnosis.none.unused import last_descendant
from tapeviz.diagnosis.op_kinds import COMPARISONS, KINKED, is_packages
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import BackwardStarted, EventLog, OpRecorded
from tapeviz.events.catalog import CUSTOM
from tapeviz.events.summary import elements_of
from tapeviz.graph import Graph, Link
from tapeviz.phrases import quoted
from tapeviz.source import lines
from tapeviz.source.places import same_line, site_at
from tapeviz.source.statements import callee

_FILLING = ("zeros", "full", "broadcast_to")
"""Functions that make a tensor of one number."""


def constant_derivative(question: Question) -> Finding | None:
    """The target is a gradient with respect to the source, and the source does not occur in it."""
    for position, call, results in inner_calls(question.within):
        straight = is_straight(question, call)
        if not straight and not _is_made_without(question, call, results):
            continue
        made = question.made_on(call.targets[0])
        name = question.source_name
        how = f"is a straight line in {name}: its derivative" if straight else "has a derivative that"
        return question.finding(
            "constant_by_construction",
            made,
            f"{question.introduced(call.targets[0])}, {how} does not depend on "
            f"{name}, so the second derivative is zero, which {question.say('the tape')} reports as None.",
            question.say("read None as zero"),
            severity="hint" if question.zeros or question.call.gives_zeros else "error",
            evidence=[question.made_at(call.targets[0]), position],
        )
    return None


def _is_made_without(question: Question, call: BackwardStarted, results: list[int]) -> bool:
    """Whether a gradient by the source, which was to be differentiated again, was made of nothing that depends on it.

    Of a function with a gradient of its own that says nothing.
    """
    graph = question.graph
    if not call.create_graph or question.source not in call.sources:
        return False
    if any(graph.producer(each) is not None for each in results):
        return False
    links = graph.back(call.targets, lambda link: link.head != question.source)
    passed = {link.position for link in links if link.slot is not None}
    return all(isinstance(op := graph.ops[at], OpRecorded) and CUSTOM not in op.attrs for at in passed)


def only_differentiated(question: Question) -> Finding | None:
    """What was computed from the source takes part by its derivative alone, which does not change with the source."""
    for position, call, results in inner_calls(question.within):
        whole = question.within.ancestors_of(call.targets)
        if question.source not in whole or any(question.graph.producer(each) is None for each in results):
            continue
        name, source = question.name(call.targets[0]), question.source_name
        made, taken = question.made_on(call.targets[0]), site_at(question.log, position)
        return question.finding(
            "constant_by_construction",
            taken,
            f"{name}, made at {words(made)}, takes part in {question.target_name} only by its derivative, taken at "
            f"{words(taken)}, and that does not change with {source}, as with whatever is only added: "
            f"{question.outcome}.",
            f"If that is meant, all is well. Otherwise use {name} itself in {question.target_name}, too, as a boundary "
            f"value does{question.or_leaving_out()}.",
            severity="hint" if question.call.reached_sources else "error",
            evidence=[question.made_at(call.targets[0]), position],
        )
    return None


def step_of_a_kink(question: Question, position: int) -> Finding | None:
    """The path ends at a comparison that the user did not write: the derivative of a kinked op is made with it."""
    graph, op, taken = question.graph, question.graph.ops[position], site_at(question.log, position)
    nodes = (node for statement in lines.line_of(taken) for node in ast.walk(statement))
    if op.op not in COMPARISONS or any(isinstance(each, ast.Compare) for each in nodes):
        return None
    kink = next((at for at, _ in graph.consumers(op.inputs[0]) if graph.ops[at].op in KINKED), None)
    if kink is None:
        return None
    site, called = site_at(question.log, kink), question.op_name(graph.ops[kink])
    return question.finding(
        "constant_by_construction",
        site,
        f"The second derivative of {called} at {words(site)} is zero wherever there is one: its derivative, taken at "
        f"{words(taken)}, does not change with {question.source_name}, and {question.outcome}.",
        Fix(f"If that is meant, all is well. Otherwise use {_smooth(called)}.", smooth_kink(question, graph.ops[kink])),
        severity="hint" if question.call.reached_sources else "error",
        evidence=[kink, position],
    )


def flat_derivative(question: Question) -> Finding | None:
    """The target reads a zero where a derivative of a derivative by the source stood: the framework computed none."""
    graph, last = question.graph, last_descendant(question)
    call, target = question.call, question.target
    if question.log.facts.logs_inner_calls and not call.begun_inside:
        return None
    zeros = call.once(("zeros", target), lambda: _zeros(call, target))
    if last is None or not call.once(("in place", target, last), lambda: _any_in_place(question, zeros, last)):
        return None
    line = question.made_on(last)
    read = {link.position for link in call.links_to(target)}
    kinks = [op for at, op in graph.ops.items() if op.op in KINKED and at not in read]
    what, site, cure = "a straight line", line, "an expression that curves"
    if kinks:
        site = None if kinks[0].site is None else question.log.sites[kinks[0].site]
        what = f"{question.op_name(kinks[0])} at {words(site)}"
        cure = _smooth(question.op_name(kinks[0]))
    return question.finding(
        "constant_by_construction",
        site,
        f"The second derivative of {what} is zero wherever there is one, so what is taken at {words(line)} does not "
        f"change with {question.source_name}, and {question.outcome}.",
        Fix(f"Use {cure}.", smooth_kink(question, kinks[0]) if kinks else None),
        evidence=[graph.producer(last)],
    )


def _zeros(call: GradientCall, target: int) -> list[Link]:
    """The readings of plain zeros by what took part in a target, but for those that the program's text asks for."""
    zeros = (each for each in call.links_to(target) if each.slot is not None and _is_plain_zero(call.log, each.tail))
    return [each for each in zeros if not _is_filled(call, each)]


def _is_filled(call: GradientCall, zero: Link) -> bool:
    """Whether a line of the program makes a tensor of one number there, such as `zeros_like(h)`, or a package does."""
    site = site_at(call.log, zero.position)
    op = call.graph.ops.get(zero.position)
    if op is not None and op.op in _FILLING and is_packages(op):
        return True
    written = None if site is None else call.texts.of(site).call_at(site)
    called = "" if written is None else callee(written)
    return called.endswith("_like") or called in _FILLING


def _is_plain_zero(log: EventLog, tensor: int) -> bool:
    value = elements_of(log.value(tensor)) if log.tensors[tensor].role == "literal" else None
    return value is not None and not value.any()


def _any_in_place(question: Question, zeros: list[Link], tensor: int) -> bool:
    return any(_is_in_place(question, each, tensor) for each in zeros)


def _is_in_place(question: Question, zero: Link, tensor: int) -> bool:
    """Whether a zero is read in the place of a tensor: at the line that made that, or under its name."""
    name, site = question.log.tensors[tensor].name, site_at(question.log, zero.position)
    if site is None or same_line(site, question.made_on(tensor)):
        return site is not None
    return name is not None and question.call.texts.of(site).operand(site, zero.slot or 0) == name


def flat_again(call: GradientCall, sources: Iterable[int]) -> Iterator[Finding]:
    """A derivative of a derivative is zero in every entry: of what bends nowhere.

    It is the call's own, with which nothing was computed yet, or one that the target was computed from.
    """
    graph, log = call.graph, call.log
    for position, inner, results in (*inner_calls(call), *own_call(call)):
        first = inner_calls(call.about(inner.targets[0])) if all(_is_zero(graph, each) for each in results) else ()
        if not first:
            continue
        through = {link.position for link in graph.back([each for _, outer, _ in first for each in outer.targets])}
        between = graph.descendants(inner.sources)
        ops = ((at, graph.ops[at]) for at in through if at in graph.ops)
        kinks = [at for at, op in ops if op.op in KINKED and not between.isdisjoint(op.inputs)]
        if not kinks:
            continue
        kinks.sort()
        site, dialect = site_at(log, kinks[0]), dialect_of(log)
        given = lines.assigned(site_at(log, position)) if len(results) == 1 else None
        name = name_of(graph, results[0]) if given is None else quoted(given)
        kink = f"`{dialect.op(graph.ops[kinks[0]].op)}`"
        yield Finding.at(
            log,
            "constant_by_construction",
            site,
            f"{name}, taken at {words(site_at(log, position))}, is zero in all of its entries: the second derivative "
            f"of {kink} at {words(site)} is zero wherever there is one, so {name} teaches nothing.",
            Fix(f"Use {_smooth(kink)}.", smooth_kink(Question(call, inner.sources[0]), graph.ops[kinks[0]])),
            kinks[0],
            position,
            symptom="zero",
            severity="hint" if position == call.position else "warning",
            target=call.targets[0],
        )


def _is_zero(graph: Graph, tensor: int) -> bool:
    figure = graph.figures.of(tensor)
    value = elements_of(graph.log.value(tensor)) if figure is None else None
    return value is not None and not value.any() if figure is None else "zero" in figure.oddities


def _smooth(kink: str) -> str:
    """What to write in place of an op that bends at one place."""
    return f"a smooth function in place of {kink}, such as `tf.tanh` or `tf.math.softplus`"
