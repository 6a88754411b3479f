"""Graph -> Findings about the list of an optimizer: it leaves a parameter out, or has one that no gradient meets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.diagnosis.edits import calls, moving
from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall, finished_calls
from tapeviz.diagnosis.none.target_network import are_twins
from tapeviz.diagnosis.none.unused import last_descendant
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.recording.grad_attribute import missed
from tapeviz.diagnosis.why import without_gradient
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import origin, words
from tapeviz.events import (
    GradientCleared,
    GradientStored,
    LeafCreated,
    OptimizerStepped,
    Site,
    StateWritten,
    Unwatched,
    Watched,
)
from tapeviz.graph import Graph, OptimizerHistory
from tapeviz.phrases import counted, listed, quoted, unquoted
from tapeviz.source.places import site_at

_LATER = "Make the optimizer after {line}, so that its list has what is made there."
_FROZEN = "What is not to learn needs no gradients: `requires_grad_(False)` spares them."


def left_out(graph: Graph) -> Iterator[Finding]:
    """A variable got gradients, but no optimizer has it in its list, while other variables of the target are in one.

    What the program writes itself is updated all the same.
    """
    made = [each.made_at for each in graph.optimizers.values()]
    missing = _in_no_list(graph)
    if missing:
        finished = finished_calls(graph)
        leaf, optimizer = graph.leaves.get(missing[0]), site_at(graph.log, made[0])
        place, name = site_at(graph.log, leaf), name_of(graph, missing[0])
        more = counted(len(missing) - 1, f"other {dialect_of(graph.log).say('variable')}")
        others = f"and {more} get" if missing[1:] else "gets"
        them, are = ("them", "they are") if missing[1:] else ("it", "it is")
        is_later = _is_made_once_after(finished[0], leaf, made)
        sibling = None if is_later else _of_its_module(graph, missing[0])
        yield Finding.at(
            graph.log,
            "untracked_parameter",
            place if place is not None and sibling is None else optimizer,
            f"{name}, {origin(place)}, {others} gradients, but the optimizer at {words(optimizer)} does not have "
            f"{them} in its list{f', though it has {sibling}' if sibling else ''}: {are} never updated.",
            Fix(_LATER.format(line=words(place)), moving.below_another(Editor(graph.log), optimizer, place))
            if is_later
            else _to_be_listed(graph, place, sibling),
            leaf,
            finished[0].position,
            severity="hint",
            target=missing[0],
        )


def _of_its_module(graph: Graph, missing: int) -> str | None:
    """The name of a parameter that an optimizer has in its list, of the module in which the missing one is registered.

    By way of the module's attributes both have its name; what stands in a plain list of Python's has that of the list.
    """
    module, dot, _ = unquoted(name_of(graph, missing)).partition(".")
    names = (name_of(graph, each) for each in sorted(graph.listed)) if dot and module.isidentifier() else ()
    return next((each for each in names if unquoted(each).startswith(f"{module}.")), None)


def _to_be_listed(graph: Graph, place: Site | None, sibling: str | None) -> Fix:
    """What to do for a variable that no list found, whether it is to learn or not."""
    if sibling is None:
        return Fix(dialect_of(graph.log).say("put in the list"), calls.in_module_lists(Editor(graph.log), place))
    module = unquoted(sibling).partition(".")[0]
    return Fix(f"Give the optimizer all that is to learn, as {quoted(f'{module}.parameters()')}. {_FROZEN}")


def _in_no_list(graph: Graph) -> list[int]:
    """The variables that got gradients and are in no optimizer's list, as others are; nor does the program write them.

    What it writes before the first pass is how they start.
    """
    finished = finished_calls(graph) if graph.listed else []
    if not finished or graph.listed.isdisjoint(finished[0].sources):
        return []
    began = finished[0].position or 0
    known = graph.listed | {tensor for tensor, written in graph.writes.items() if written[-1] > began}
    return [each for each in finished[0].arrived if each not in known and graph.is_variable(each)]


def _is_made_once_after(first: GradientCall, leaf: int | None, optimizers: Iterable[int]) -> bool:
    """Whether a leaf came after every optimizer, and its line makes no other after the first pass.

    One from before the recording has no line.
    """
    if leaf is None or leaf < max(optimizers):
        return False
    later = (at for at in first.graph.leaves.values() if at is not None and at > (first.position or 0))
    line = site_at(first.log, leaf)
    return line is not None and all(site_at(first.log, each) != line for each in later)


def never_met(graph: Graph) -> Iterator[Finding]:
    """A parameter that an optimizer is to change takes part in the target, but no `backward` ever meets it.

    What another than the optimizer writes, as the moving average of a network, is meant so; what is frozen, too. Where
    a step changes nothing, that also holds of what was cleared before it and met no pass since: all that is cleared
    may be in the list of an optimizer that is older than the log.
    """
    told = {tensor for optimizer, _ in _of_other_models(graph) for tensor in optimizer.parameters}
    first: dict[int, int] = {}
    for tensor, step in _unmet(graph):
        if tensor not in told:
            first.setdefault(tensor, step)
    calls = finished_calls(graph) if first else []
    for tensor, step in first.items():
        asked = [each for each in calls if (each.position or 0) < step and tensor in each.ancestors]
        known = any(tensor in missed(each) for each in asked)
        finding = _cut_off(Question(asked[-1], tensor)) if asked and not known else None
        if finding is not None:
            yield finding


def _unmet(graph: Graph) -> Iterator[tuple[int, int]]:
    """The parameters that nothing was stored in or written into, each with the position of an optimizer's step; not
    those without elements, as of one that is all with another process."""
    kept = {each.tensor for each in graph.log.of_kind(GradientStored, StateWritten).values()}
    cleared: dict[int, None] = {}
    for position, event in enumerate(graph.log.events):
        if isinstance(event, GradientCleared):
            cleared[event.tensor] = None
        elif isinstance(event, GradientStored):
            cleared.pop(event.tensor, None)
        elif isinstance(event, OptimizerStepped):
            optimizer = graph.optimizers.get(event.optimizer)
            unmet = [each for each in optimizer.parameters if each not in kept] if optimizer is not None else []
            if not event.parameters:
                unmet += [each for each in cleared if optimizer is None or each in optimizer.parameters]
            yield from ((each, position) for each in unmet if 0 not in graph.log.tensors[each].shape)


def all_frozen(graph: Graph) -> Iterator[Finding]:
    """An optimizer takes steps that change nothing, and all of its list is frozen by then."""
    for optimizer in graph.optimizers.values():
        frozen = _frozen(graph, optimizer.steps[0]) if optimizer.is_idle else {}
        if optimizer.parameters and frozen.keys() >= set(optimizer.parameters):
            yield _frozen_list(graph, optimizer, frozen[optimizer.parameters[0]])


def _frozen(graph: Graph, before: int) -> dict[int, int]:
    """What is frozen at a position, each with where that was done."""
    found: dict[int, int] = {}
    for position, event in enumerate(graph.log.events[:before]):
        if isinstance(event, Unwatched) or (isinstance(event, LeafCreated) and not event.trainable):
            found[event.tensor] = position
        elif isinstance(event, Watched):
            found.pop(event.tensor, None)
    return found


def _frozen_list(graph: Graph, optimizer: OptimizerHistory, froze: int) -> Finding:
    step, parameters = optimizer.steps[0], optimizer.parameters
    site, made, stepped = (site_at(graph.log, each) for each in (froze, optimizer.made_at, step))
    number, name = counted(len(parameters), dialect_of(graph.log).say("variable")), name_of(graph, parameters[0])
    return Finding.at(
        graph.log,
        "not_trainable",
        site,
        f"Of the {number} in the list of the optimizer at {words(made)} all are frozen, {name} since "
        f"{words(site)}: the step at {words(stepped)} changes nothing.",
        "Leave what is to learn out of what is frozen, or make the optimizer from the parameters that are not.",
        froze,
        optimizer.made_at,
        step,
        symptom="none",
        severity="warning",
        source=parameters[0],
    )


def unused(graph: Graph) -> list[int]:
    """What an optimizer that steps is to change, and no target is computed from, though it is not frozen."""
    unmet = dict.fromkeys(tensor for tensor, _ in _unmet(graph))
    calls = finished_calls(graph) if unmet else []
    used = {each for call in calls for each in call.ancestors}
    followed: dict[int, bool] = {}
    for event in graph.log.events if unmet else ():
        if isinstance(event, LeafCreated):
            followed[event.tensor] = event.trainable
        elif isinstance(event, Watched | Unwatched):
            followed[event.tensor] = isinstance(event, Watched)
    return [each for each in unmet if each not in used and followed.get(each)]


def computed_in_vain(graph: Graph) -> Iterator[Finding]:
    """Something is computed from a parameter of an optimizer that steps, but no target is computed from that."""
    left = unused(graph)
    calls = finished_calls(graph) if left else []
    lists = [set(each.parameters) for each in graph.optimizers.values()]
    for tensor in left:
        beside = set().union(*(each for each in lists if tensor in each))
        call = next((each for each in reversed(calls) if not beside.isdisjoint(each.sources)), None)
        question = None if call is None else Question(call, tensor)
        found = None if question is None or last_descendant(question) is None else without_gradient(question)
        if question is not None and found is not None and found.cause == "unused_source":
            yield replace(found, severity="hint", fix=f"{found.fix} {_not_to_learn(question)}")


def of_another_model(graph: Graph) -> Iterator[Finding]:
    """No step of an optimizer changes anything: none of its list takes part in a target, and what does is in none.

    Or its list is that of a twin of what is trained, as a target network is, which no gradient is to reach.
    """
    for optimizer, trained in _of_other_models(graph):
        yield _idle(finished_calls(graph)[0], optimizer, trained)


def _of_other_models(graph: Graph) -> list[tuple[OptimizerHistory, list[int]]]:
    """The optimizers that train nothing, each with what is trained in place of its list, and is in no list at all."""
    idle = [each for each in graph.optimizers.values() if each.is_idle]
    calls = finished_calls(graph) if idle else []
    trained = list(dict.fromkeys(each for call in calls for each in call.sources if graph.is_variable(each)))
    if not trained or not (graph.listed | graph.writes.keys()).isdisjoint(trained):
        return []
    return [
        (each, trained)
        for each in idle
        if are_twins(graph, each.parameters, trained)
        or all(call.ancestors.isdisjoint(each.parameters) for call in calls)
    ]


def _idle(call: GradientCall, optimizer: OptimizerHistory, trained: list[int]) -> Finding:
    graph, parameters, step = call.graph, optimizer.parameters, optimizer.steps[0]
    site, stepped = site_at(graph.log, optimizer.made_at), words(site_at(graph.log, step))
    got = listed(list(dict.fromkeys(name_of(graph, each) for each in trained)))
    number = counted(len(parameters), dialect_of(graph.log).say("variable"))
    return Finding.at(
        graph.log,
        "untracked_parameter",
        site,
        f"The optimizer that steps at {stepped} has {number} in its "
        f"list, and no gradient arrives at any of them. Those of {name_of(graph, call.targets[0])} arrive at {got}, "
        "which no optimizer has in its list: no step changes anything.",
        "Make the optimizer from the parameters of the model that is trained, and make it anew whenever the model is.",
        optimizer.made_at,
        call.position,
        step,
        symptom="wrong",
        severity="warning",
        target=call.targets[0],
    )


def _cut_off(question: Question) -> Finding | None:
    """Why a parameter gets no gradient, and what to do if it is meant to get none."""
    found = without_gradient(question) if question.is_followed else None
    if found is None or not question.call.trail.reaches(question.source):
        return None
    return replace(found, severity="warning", fix=f"{found.fix} {_not_to_learn(question)}")


def _not_to_learn(question: Question) -> str:
    return f"If {question.source_name} is not to learn, leave it out of the optimizer's list."


RULES = (left_out, never_met, computed_in_vain, all_frozen, of_another_model)
