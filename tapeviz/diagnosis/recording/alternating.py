"""Graph -> Findings about losses that train in turn, each with its own optimizer, where one also trains the other.

An actor and its temperature, a generator and its critic: each loss holds back what another one trains.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tapeviz.diagnosis.edits import calls
from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall, finished_calls
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.why import without_gradient
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import BackwardStarted, GradientCleared, GradientStored, OptimizerStepped
from tapeviz.graph import Graph, Link, OptimizerHistory
from tapeviz.phrases import quoted, unquoted
from tapeviz.source.places import same_line, site_at

HELD_BACK = frozenset({"stop_gradient", "recording_disabled"})
"""Causes that a program writes where a loss is not to train something."""

_IN_TURN = "Do one after the other: clear the gradients, call `backward`, step, and only then compute the other loss."


class Mixed(NamedTuple):
    """A step of the optimizer of `own`'s parameters along the gradients of another loss as well."""

    own: GradientCall
    other: GradientCall
    parameters: frozenset[int]
    others: frozenset[int]
    step: int


def trained_by_another(graph: Graph) -> Iterator[Finding]:
    """An optimizer steps along the sum of two losses, of which one is there to train what another optimizer has.

    Two losses may well train the same parameters. That the one which trains these alone holds back what the other one
    is there for says that each is to train its own.
    """
    told: set[object] = set()
    for mixed in _mixed(graph) if len(graph.optimizers) > 1 else ():
        entry = _entry(mixed)
        line = None if entry is None else site_at(graph.log, entry.position)
        if entry is not None and line not in told and _is_held_back(mixed):
            told.add(line)
            yield _finding(mixed, entry)


def _mixed(graph: Graph) -> Iterator[Mixed]:
    """The steps of an optimizer along gradients of a loss that trains its list alone, and of one that trains more.

    What an earlier round left is another matter: no optimizer stepped between the two.
    """
    ended = {each.position: each for each in finished_calls(graph)}
    passes: dict[int, list[tuple[GradientCall, int]]] = {}  # what a parameter got since it was cleared, each after how
    last: GradientCall | None = None  # many steps
    steps = 0
    for position, event in enumerate(graph.log.events):
        match event:
            case BackwardStarted():
                last = ended.get(position)
            case GradientCleared():
                passes.pop(event.tensor, None)
            case GradientStored() if last is not None:
                passes.setdefault(event.tensor, []).append((last, steps))
            case OptimizerStepped():
                steps += 1
                optimizer = graph.optimizers.get(event.optimizer)
                both = None if optimizer is None else _two_passes(passes.get(each, []) for each in optimizer.parameters)
                if optimizer is not None and both is not None:
                    yield from _of_a_step(graph, optimizer, *both, position)


def _two_passes(of_each: Iterable[list[tuple[GradientCall, int]]]) -> tuple[GradientCall, GradientCall] | None:
    """The two passes that the gradient of some parameter is the sum of, if no optimizer stepped between them."""
    for passes in of_each:
        match passes:
            case [(first, before), (later, after)] if before == after:
                return first, later
    return None


def _of_a_step(
    graph: Graph, optimizer: OptimizerHistory, first: GradientCall, later: GradientCall, step: int
) -> Iterator[Mixed]:
    """Of a step along two passes, which of them is for its own list."""
    parameters = frozenset(optimizer.parameters)
    for own, other in ((first, later), (later, first)):
        for beside in graph.optimizers.values():
            others = frozenset(beside.parameters)
            if (
                parameters.isdisjoint(others)
                and others.isdisjoint(own.reached)
                and not others.isdisjoint(other.reached)
                and not parameters.isdisjoint(other.reached)
            ):
                yield Mixed(own, other, parameters, others, step)


def _is_held_back(mixed: Mixed) -> bool:
    """Whether the loss of the one list is computed from the other list, which the program holds back there."""
    read = sorted(mixed.others & mixed.own.ancestors)
    why = without_gradient(Question(mixed.own, read[0])) if read else None
    return why is not None and why.cause in HELD_BACK


def _entry(mixed: Mixed) -> Link | None:
    """Where what is made of the one list alone meets the other list, on the way to the loss that is there for this."""
    graph, call = mixed.other.graph, mixed.other
    of_these, of_others = graph.descendants(mixed.parameters), graph.descendants(mixed.others)
    entries = [
        link
        for link in call.links_to(call.targets[0])
        if link.slot is not None
        and call.passes(link)
        and link.tail in of_these - of_others
        and link.head in of_others & call.reached
    ]
    return min(entries, key=lambda each: each.position, default=None)


def _finding(mixed: Mixed, entry: Link) -> Finding:
    graph = mixed.own.graph
    line, step = site_at(graph.log, entry.position), words(site_at(graph.log, mixed.step))
    own, other = (name_of(graph, each.targets[0]) for each in (mixed.own, mixed.other))
    trained = min(mixed.parameters & mixed.other.reached)
    held = name_of(graph, min(mixed.others & mixed.own.ancestors))
    by = _named_before(graph, entry)
    name = name_of(graph, by)
    way = f"{other} reads {name} at {words(line)} and sends it" if by == trained else f"By way of {name}, read at "
    way += " a gradient" if by == trained else f"{words(line)}, {other} sends a gradient to {name_of(graph, trained)}"
    return Finding.at(
        graph.log,
        "missing_stop_gradient",
        line,
        f"{way}, too, which the step at {step} takes together with that of {own}. {own} holds {held} back, so that "
        "each is to train its own.",
        Fix(_IN_TURN) if by in mixed.parameters else _cut(graph, entry, name),
        entry.position,
        mixed.other.position,
        mixed.step,
        symptom="wrong",
        severity="warning",
        source=trained,
        target=mixed.other.targets[0],
    )


def _cut(graph: Graph, entry: Link, name: str) -> Fix:
    edit = calls.detached(Editor(graph.log), site_at(graph.log, entry.position), unquoted(name))
    how = f"as {quoted(f'{unquoted(name)}.detach()')}" if name.startswith("`") else "by `.detach()`"
    return Fix(f"Hold {name} back there, {how}.", edit)


def _named_before(graph: Graph, entry: Link) -> int:
    """What an op reads, or what that was made of at the same line, as far back as it takes to have a name."""
    tensor, line = entry.tail, site_at(graph.log, entry.position)
    while graph.log.tensors[tensor].name is None:
        made = graph.producer(tensor)
        if made is None or not same_line(site_at(graph.log, made), line):
            return entry.tail
        tensor = graph.ops[made].inputs[0]
    return tensor


RULES = (trained_by_another,)
