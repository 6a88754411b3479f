"""Question -> Finding: the target really does not depend on the source; where should it have?"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from tapeviz.diagnosis.custom import read_within
from tapeviz.diagnosis.finding import Finding, Severity
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.none.between_graphs import left_between_graphs, unseen_between_graphs
from tapeviz.diagnosis.none.siblings import read_beside
from tapeviz.diagnosis.paths.trail import STOP
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.opened import opened_around
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import ReadOut, Site
from tapeviz.events.summary import elements_of
from tapeviz.events.types import TRUTH
from tapeviz.graph import Link, combined_after
from tapeviz.phrases import listed, quoted
from tapeviz.source import lines
from tapeviz.source.assignments import binding, names_given_at
from tapeviz.source.places import calls, same_line, site_at
from tapeviz.source.skipped import read_where_nothing_ran


def unused_source(question: Question) -> Finding:
    """The target does not depend on the source."""
    last = last_descendant(question)
    left = None if last is None else left_between_graphs(question, last)
    if left is not None:
        return left
    source, target, say = question.source_name, question.target_name, question.say
    site, evidence = _where_unused(question)
    introduced = question.introduced(question.target)
    if question.graph.producer(question.target) is not None:
        reason = f"nothing leads from {_source_or_it(question)} to {introduced}"
        made = _what_was_made(question)
        fix = f"Use {made or source} in {target}{question.or_leaving_out(source if made else 'it')}."
    else:
        is_variable = question.graph.is_variable(question.target)
        what = f"is a {say('variable')} of its own" if is_variable else "is a plain number"
        reason = f"{introduced}, {what} and was not computed from {source}"
        fix = f"Compute the target from {source}{say('inside the block')}."
    around = _called_around(question)
    if around is not None:
        return read_within(question, around, evidence)
    skipped = _read_in_vain(question)
    if skipped is not None:
        site, evidence = skipped, [question.made_at(question.target)]
        reason += f", and what is made of it is read only below {words(site)}, of which no line ran"
        fix = f"Let that run{question.or_leaving_out(source)}."
    read = read_beside(question) if question.graph.producer(question.target) is not None else None
    if read is not None and skipped is None:
        site, evidence = read.site, [read.position, *evidence]
        reason += f", though {listed(read.names)} beside it {'is' if len(read.names) == 1 else 'are'} read at "
        reason += words(site)
        fix = f"Use {source} there, too{question.or_leaving_out()}."
    told = f"{source} {say('gets None')} because {reason}{_dead_end(question)}.{_compiled(question)}"
    severity: Severity = "hint" if question.is_beside_reached else "error"
    return question.finding("unused_source", site, told, fix, severity=severity, evidence=evidence)


def unmet_source(call: GradientCall, source: Any) -> Finding:
    """The program has a tensor, or a variable, that no recorded line uses: the log knows nothing else of it."""
    question = Question(call, call.targets[0])  # in whose words the target is told
    made = question.introduced(question.target)
    told = f"the source, of shape {tuple(source.shape)}, {question.say('gets None')} because no recorded line uses it: "
    told += f"{made}, was computed without it."
    site, at = question.made_on(question.target), question.made_at(question.target)
    return replace(question.finding("unused_source", site, told, evidence=[at]), source=None)


def _read_in_vain(question: Question) -> Site | None:
    """The loop or branch that has all the lines which read what is made of the source, where none of them ran."""
    last = last_descendant(question)
    site = None if last is None else question.made_on(last)
    if site is None:
        return None
    text = question.call.texts.of(site)
    names, _ = names_given_at(text, site)
    ran = question.call.once(("ran", site.filename), lambda: _lines_run(question.call, site.filename))
    found = [read_where_nothing_ran(text, each, site.line, ran) for each in names]
    return None if not found or found[0] is None else text.whole_line(found[0].lineno, site)


def _lines_run(call: GradientCall, filename: str) -> set[int]:
    """The lines of a file in which ops ran, or functions that ran some."""
    sites = (site for at in call.graph.ops for site, _ in calls(call.log, at))
    return {line for each in sites if each.filename == filename for line in range(each.line, each.end_line + 1)}


def _called_around(question: Question) -> Site | None:
    """The line by which TensorFlow calls the function that made the last of what was computed from the source."""
    last = last_descendant(question)
    made = None if last is None else question.graph.producer(last)
    sites = () if made is None else calls(question.log, made)
    return next((site for site, _ in sites if lines.numpy_within(site) is not None), None)


def _dead_end(question: Question) -> str:
    last = last_descendant(question)
    if last is None:
        return ""
    name, source, line = question.name(last), _source_or_it(question), words(question.made_on(last))
    if last in question.call.once("truths", lambda: _truths(question.call)):
        return f"; {name}, computed from {source} at {line}, only decides which way Python takes"
    other = _namesake(question, last)
    if other is not None:
        renamed, line = words(question.made_on(other.tensor)), words(other.first)
        return (
            f"; the {quoted(other.name)} computed from {source} at {line} is not used, but what {renamed} gives that "
            f"name afterwards{_if_zero(question, other.tensor)}"
        )
    if question.log.tensors[last].name in _names_used(question.call):
        return f"; the {name} computed from {source} at {line} is not used, but another of that name"
    if name == question.source_name:
        return f"; what {line} computes from it, under the same name, is not used"
    read = _read_out(question, last)
    if read is not None:
        there = words(site_at(question.log, read))
        return f"; {name}, computed from {source} at {line}, is only read out as plain numbers, at {there}"
    return f"; {name}, computed from {source} at {line}, is not used{unseen_between_graphs(question, last)}"


def _read_out(question: Question, tensor: int) -> int | None:
    """Where the numbers of a tensor, or of a `detach` of it, were read out first."""
    graph, end = question.graph, question.call.position or len(question.log.events)
    held = (out for at, _ in graph.consumers(tensor) if graph.ops[at].op == STOP for out in graph.ops[at].outputs)
    read = (at for each in (tensor, *held) for at in graph.read_outs.get(each, ()) if at < end)
    return min(read, default=None)


def _if_zero(question: Question, tensor: int) -> str:
    value = elements_of(question.log.value(tensor))
    return "" if value is None or not value.ndim or value.any() else ", zero in every element"


class _Namesake(NamedTuple):
    """A tensor that is used under a name, and the line that gave that name first to what is not."""

    tensor: int
    name: str
    first: Site


def _namesake(question: Question, last: int) -> _Namesake | None:
    """What got the name of the last that was computed from the source, later on in the same function, and is used."""
    found = (_used_in_its_place(question, last, *each) for each in _names_given(question, last))
    return next((each for each in found if each is not None), None)


def _names_given(question: Question, tensor: int) -> Iterator[tuple[str, Site]]:
    """The name of a tensor, and those that the lines around give to what was made there, with those lines."""
    name, site, made = question.log.tensors[tensor].name, question.made_on(tensor), question.graph.producer(tensor)
    if name is not None and site is not None:
        yield name, site
    used = question.call.once("lines used", lambda: _lines_used(question.call))
    for around, _ in () if made is None else calls(question.log, made):
        given = lines.assigned(around)
        if given is not None and around not in used:
            yield given, around


def _lines_used(call: GradientCall) -> set[Site]:
    """The lines that ran while what the targets were made of was computed: they gave something that is used."""
    made = (at for each in call.ancestors if (at := call.graph.producer(each)) is not None)
    return {site for at in made for site, _ in calls(call.log, at)}


def is_displaced(question: Question) -> bool:
    """Whether what was computed from the source is used nowhere, as something else that is used got its name."""
    last = last_descendant(question)
    return last is not None and _namesake(question, last) is not None


def _used_in_its_place(question: Question, last: int, name: str, site: Site) -> _Namesake | None:
    since = question.made_at(last)
    for other in question.call.once(("named", name), lambda: _used_by_name(question.call, name)):
        there = question.made_on(other)
        if since is not None and (question.made_at(other) or 0) > since and there is not None:
            is_one = (there.filename, there.function) == (site.filename, site.function)
            return _Namesake(other, name, site) if is_one else None
    return None


def _used_by_name(call: GradientCall, name: str) -> list[int]:
    """What took part in the targets under a name, in order."""
    named = [each for each in call.ancestors if call.log.tensors[each].name == name]
    return sorted(named, key=lambda each: call.graph.made_at(each) or 0)


def _compiled(question: Question) -> str:
    """What a source gets in the compiled program: a compiled function is one op there, and passes zeros to all that its
    results were computed from."""
    last = last_descendant(question)
    made = None if last is None else question.graph.op_of(last)
    name = None if made is None else opened_around(question.log, made.scope)
    if name is None or not question.log.facts.gives_zeros_compiled:
        return ""
    return f" Compiled, `{name}` may pass zeros to {question.source_name}, with which an optimizer does step."


def _truths(call: GradientCall) -> set[int]:
    """The tensors that Python asked whether they are true."""
    return {each.tensor for each in call.log.of_kind(ReadOut).values() if each.how == TRUTH}


def _source_or_it(question: Question) -> str:
    """What to call the source where it has been introduced by the line that made it, or by its name."""
    return question.source_name if question.is_named(question.source) else "it"


def _what_was_made(question: Question) -> str | None:
    """What to use in the target: that which was last computed from the source, if it has a name of its own."""
    last = last_descendant(question)
    other = None if last is None else _namesake(question, last)
    if other is not None:
        return f"that {quoted(other.name)}"
    name = None if last is None else question.log.tensors[last].name
    if last is None or name is None or question.name(last) == question.source_name:
        return None
    return f"that {quoted(name)}" if name in _names_used(question.call) else quoted(name)


def _names_used(call: GradientCall) -> set[str]:
    """The names of all that took part in the targets."""
    rows = call.log.tensors
    return call.once("names used", lambda: {name for each in call.ancestors if (name := rows[each].name) is not None})


def last_descendant(question: Question) -> int | None:
    """The last tensor that the tape recorded as computed from the source before the call."""
    call = question.call
    last = call.once("last descendants", lambda: _last_descendants(call)).get(question.source)
    return None if last is None else -last[1]


def _last_descendants(call: GradientCall) -> dict[int, tuple[int, int]]:
    """Tensor -> where the last of those was made, and that, as a negative number: of several results the first."""
    end = len(call.log.events) if call.position is None else call.position

    def result_of(link: Link) -> tuple[int, int] | None:
        at = call.graph.producer(link.head)
        return (at, -link.head) if at is not None and at < end and link.head in call.followed else None

    return combined_after(call.graph, result_of, max)


def _where_unused(question: Question) -> tuple[Site | None, list[int | None]]:
    """The line to change: a literal target's, the one that passes over what was made of the source, or the formula."""
    graph, log, target = question.graph, question.log, question.target
    made = question.made_at(target)
    if graph.producer(target) is None:
        variable = graph.is_variable(target) and question.call.site is not None
        return question.call.site if variable else site_at(log, made), [made]
    last = last_descendant(question)
    other = None if last is None else _namesake(question, last)
    if other is not None:
        return question.made_on(other.tensor), [question.made_at(other.tensor), made]
    passed = None if last is None else _passing_over(question, last)
    if passed is not None:
        return passed
    lines = question.call.once(("lines", target), lambda: _formula(question.call, target))
    if len(lines) <= 1 or question.call.site is None or not question.call.named:
        return site_at(log, made), [made]
    return question.call.site, [made]


def _formula(call: GradientCall, target: int) -> set[tuple[str, int]]:
    """The lines whose ops the gradient passes on its path from a target."""
    passed = [link for link in call.links_to(target) if call.passes(link)]
    sites = [site_at(call.log, link.position) for link in passed]
    return {(site.filename, site.line) for site in sites if site is not None}


def _passing_over(question: Question, last: int) -> tuple[Site | None, list[int | None]] | None:
    """The first op of the target that could have read `last`, but read another tensor; of the same shape if any did."""
    graph, log = question.graph, question.log
    since, shape = graph.producer(last) or 0, log.tensors[last].shape
    readings = question.call.once(("readings", question.target), lambda: _Readings(question.call, question.target))
    found = readings.next(since, shape)
    if found is None:
        return None
    made, around = question.made_on(last), list(calls(log, found.position))[1:]
    if shape == () and any(same_line(each, made) for each, _ in around):  # any op reads numbers: it is an argument
        return made, [found.position, since]
    site = site_at(log, found.position)
    return _alias(question, found.tail, site, found.slot or 0) or site, [found.position, since]


class _Readings:
    """The readings by ops on the path to a target, by the shape of what is read; each list in order."""

    def __init__(self, call: GradientCall, target: int) -> None:
        self._all: dict[tuple[int, ...] | None, list[Link]] = {None: []}
        self._reached: dict[tuple[int, ...] | None, list[Link]] = {None: []}
        for link in sorted(call.links_to(target), key=lambda each: each.position):
            if link.slot is not None:
                for lists in (self._all, self._reached) if link.head in call.reached else (self._all,):
                    lists[None].append(link)
                    lists.setdefault(call.log.tensors[link.tail].shape, []).append(link)

    def next(self, since: int, shape: tuple[int, ...]) -> Link | None:
        """The first after a position that a gradient passes, of this shape if any is; else the first of all."""
        lists = self._reached if _next(self._reached[None], since) is not None else self._all
        return _next(lists.get(shape, ()), since) or _next(lists[None], since)


def _next(links: Sequence[Link], since: int) -> Link | None:
    """The first link after a position."""
    at = bisect_right(links, since, key=lambda each: each.position)
    return links[at] if at < len(links) else None


def _alias(question: Question, tensor: int, site: Site | None, slot: int) -> Site | None:
    """The line that picked a tensor under the name by which the expression at `site` reads it."""
    if site is None:
        return None
    text = question.call.texts.of(site)
    name = text.operand(site, slot)
    if name is None or name == question.log.tensors[tensor].name:
        return None
    return binding(text, name, site)
