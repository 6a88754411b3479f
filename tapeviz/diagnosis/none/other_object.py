"""Question -> Finding: the names stand for other objects than they seem to: a variable made anew, another tape."""

from __future__ import annotations

import ast

from tapeviz.diagnosis.edits import calls, values
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.places import origin, words
from tapeviz.events import LeafCreated, Site, TapeOpened
from tapeviz.phrases import unquoted
from tapeviz.source.assignments import names_given_at
from tapeviz.source.edits import Edit
from tapeviz.source.places import same_line, site_at
from tapeviz.source.syntax import opened_in

MAKERS = ("__init__", "build")
"""The methods that make the variables of a layer, once."""


def made_anew(question: Question) -> Finding | None:
    """The source took over the name of the variable that the target was computed from."""
    used = next((each for each in _namesakes(question) if _took_over(question, each)), None)
    if used is None:
        return None
    name, target, site = question.source_name, question.target_name, question.made_on(question.source)
    say = question.say
    if site is None:  # made before the recording, where two modules may have given them one name
        return None
    first = question.made_on(used)
    other = "the one that this line made before" if first == site else f"the one made at {words(first)}"
    return question.finding(
        "source_is_other_object",
        site,
        f"{name} is another {say('variable')} now, made at {words(site)}; {target} used {other}: "
        f"nothing leads from the new one to {target}, so it {say('gets None')}.",
        Fix(
            f"{say('run again')} with the new {name}, or keep the {say('variable')} and give it a value: "
            f"{say('assign', name=unquoted(name), value='...')}.",
            values.given_in_place(question, site),
        ),
        evidence=[question.made_at(question.source), question.made_at(used)],
    )


def not_its_argument(question: Question) -> Finding | None:
    """A differentiated function read a tensor that it was given, but not by its argument: no step went through it.

    A gradient of PyTorch's `torch.func` is that by an argument, which stands for the tensor within the function.
    """
    call, links = question.call, question.call.trail.links(question.source)
    if not (question.log.facts.records_always and call.gives_zeros and links) or call.run.steps:
        return None
    site, name = site_at(question.log, links[0].position), question.source_name
    return question.finding(
        "unused_source",
        site,
        f"What runs at {words(site)} reads {name} itself, and not the argument that stands for it in the function "
        f"which is differentiated at {words(call.site)}: of this, the gradient of {question.target_name} is zero.",
        f"Compute with the argument, or ask `torch.autograd.grad` for the gradient by {name}.",
        evidence=[links[0].position, call.position],
    )


def remade(question: Question) -> Finding | None:
    """While the target was computed, a line gave the attribute that held the source to a new variable."""
    source, opened, tensors = question.source, question.call.opened, question.log.tensors
    made, attribute = question.made_at(source), _attribute(question, source)
    if made is None or attribute is None or opened is None or not question.graph.is_variable(source):
        return None
    for used in question.call.reached_unnamed:
        site, at = question.made_on(used), question.made_at(used) or 0
        if site is None or at < max(opened, made) or site.function in MAKERS:
            continue
        alike = question.graph.is_variable(used) and tensors[used].shape == tensors[source].shape
        if alike and _attribute(question, used) == attribute:
            return _remade(question, site, at)
    return None


def _remade(question: Question, site: Site, at: int) -> Finding:
    name, target, say = question.source_name, question.target_name, question.say
    return question.finding(
        "source_is_other_object",
        site,
        f"{target} was computed from the {say('variable')} that {words(site)} makes anew whenever `{site.function}` "
        f"runs, not from {name}, {origin(question.made_on(question.source))}, so {question.outcome}.",
        f"Make the {say('variable')} once, {say('made once')}; `{site.function}` is to read it alone.",
        evidence=[question.made_at(question.source), at],
    )


def _attribute(question: Question, leaf: int) -> str | None:
    """The attribute of an object to which the line that made a leaf gave it."""
    site = question.made_on(leaf)
    for node in () if site is None else question.call.texts.of(site).enclosing(site):
        match node:
            case ast.Assign(targets=[ast.Attribute(attr=name)]):
                return name
    return None


def replaced(question: Question) -> Finding | None:
    """The target was computed from a parameter that was given the name of the source later, as a new layer has it."""
    made = question.made_at(question.source)
    later = [(at, each) for each in _namesakes(question) if (at := question.made_at(each)) is not None]
    if made is None or not later or max(later)[0] < made:
        return None
    at, used = max(later)
    name, target, site = question.source_name, question.target_name, question.made_on(used)
    if site is None or same_line(site, question.made_on(question.source)):
        return None
    return question.finding(
        "source_is_other_object",
        site,
        f"{name}, {origin(question.made_on(question.source))}, is not the one that {target} was computed from: "
        f"{words(site)} made another of that name, and {question.outcome}.",
        Fix(
            f"List the parameters after the line that replaces them, or copy the new values into {name}.",
            values.given_in_place(question, site),
        ),
        evidence=[made, at],
    )


def _namesakes(question: Question) -> list[int]:
    """The variables of the source's name that the gradient arrives at without their being asked for, latest first.

    A parameter of a module that was never called is `weight` where that of the one that took its place is `net.weight`.
    """
    call, tensors = question.call, question.log.tensors
    own = tensors[question.source]
    if own.name is None or own.role != "variable":
        return []
    others = sorted(call.reached.difference(call.named, (own.id,)), reverse=True)
    ends = f".{own.name}"
    return [each for each in others if tensors[each].role == own.role and f".{tensors[each].name}".endswith(ends)]


def _took_over(question: Question, used: int) -> bool:
    """Whether `used` had the name first: a target was computed from it before there was the source.

    Or assignments to one name, at two lines of one function or of cells, made `used` and then the source. One line of
    a cell that ran again counts only if the other variable had been used by then.
    """
    before, now = question.made_at(used), question.made_at(question.source)
    if before is None or now is None or before > now:
        return False
    target = question.graph.producer(question.target)
    if target is not None and target < now:
        return True
    events, (first, then) = question.log.events, (site_at(question.log, each) for each in (before, now))
    if first is None or then is None or not all(isinstance(events[each], LeafCreated) for each in (before, now)):
        return False
    names, function = names_given_at(question.call.texts.of(first), first)
    names_now, function_now = names_given_at(question.call.texts.of(then), then)
    at_one_place = function == function_now and (function is None or first.filename == then.filename)
    if not at_one_place or names.isdisjoint(names_now):
        return False
    if first.line != then.line:
        return True
    return function is None and any(link.position < now for link in question.graph.links_from(used))


def other_tape(question: Question) -> Finding | None:
    """The target was recorded, but not by the tape that is asked."""
    graph, call = question.graph, question.call
    maker, name = graph.producer(question.target), question.target_name
    if maker is None:
        if question.log.tensors[question.target].role != "intermediate" or question.log.begins_late:
            return None
        site, told = call.site, f"{name} was recorded elsewhere, by another tape or `record()`"
    else:
        tapes = dict(graph.ops[maker].tapes)
        if call.tape in tapes or "recorded" not in tapes.values():
            return None
        site = site_at(question.log, maker)
        told = f"{name} was recorded by another tape, at {words(site)}"
    return question.finding(
        "outside_tape",
        site,
        f"{told}: the one that is asked, opened at {words(site_at(question.log, call.opened))}, knows nothing of it, "
        f"and {question.outcome}.",
        Fix(
            f"Ask the tape in whose block {name} is computed, or compute it in the block of the tape that you ask.",
            _asked_of_another(question, maker),
        ),
        evidence=[maker, call.opened],
    )


def _asked_of_another(question: Question, maker: int | None) -> Edit | None:
    """The tape that recorded the target is asked in the place of the one that did not."""
    recorded = [] if maker is None else [tape for tape, how in question.graph.ops[maker].tapes if how == "recorded"]
    opened = {each.tape: at for at, each in question.log.of_kind(TapeOpened).items()}
    sites = [site for tape in recorded if (site := site_at(question.log, opened.get(tape))) is not None]
    names = [name for each in sites if (name := opened_in(question.call.texts.of(each), each)) is not None]
    return calls.asked_of(question.editor, question.call.site, names[0]) if len(names) == 1 else None
