"""Graph -> Findings about the sources of a gradient call: a list that is empty, or leaves a variable out.

And about what no list can have: a variable that is made anew at every pass.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

import numpy as np

from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.diagnosis.edits import moving
from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall, finished_calls
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import origin, words
from tapeviz.events import BackwardStarted, Site, StateWritten
from tapeviz.graph import Graph
from tapeviz.phrases import counted, listed
from tapeviz.source.freezing import frozen_at, is_frozen
from tapeviz.source.places import site_at

OF_A_MODEL = re.compile(r"(?<![\w.])(?P<model>[\w.]+)\.trainable_(variables|weights)\b")
"""How a program lists what of a model is to learn."""


def empty_list(graph: Graph) -> Iterator[Finding]:
    """A gradient was asked for with respect to an empty list, while the target was computed from variables."""
    for position, event in graph.log.of_kind(BackwardStarted).items():
        if not event.sources and event.targets:
            call = GradientCall(graph, event.tape, event.targets, position)
            used = [each for each in call.reached_leaves if graph.is_variable(each) and each not in event.targets]
            if used:
                yield _frozen(call, used) or _finding(call, used)


def _frozen(call: GradientCall, used: list[int]) -> Finding | None:
    """The list is empty because a line froze the whole model that it is taken of."""
    site, asked = call.site, call.arguments[1] if len(call.arguments) > 1 else ""
    taken = OF_A_MODEL.search(asked) or (call.listed and OF_A_MODEL.search(call.listed.text))
    froze = frozen_at(call.texts.of(site), taken["model"], site) if taken and site is not None else None
    if not taken or froze is None:
        return None
    number, target_name = counted(len(used), "variable"), name_of(call.graph, call.targets[0])
    return Finding.at(
        call.log,
        "not_trainable",
        froze,
        f"The list of sources at {words(site)} is empty: {words(froze)} froze all of `{taken['model']}`, and so the "
        f"{number} that {target_name} was computed from.",
        f"Freeze only the part that is not to learn, such as a layer, and not all of `{taken['model']}`, which holds "
        "the others, too.",
        call.position,
        target=call.targets[0],
    )


def _finding(call: GradientCall, used: list[int]) -> Finding:
    graph, target = call.graph, call.targets[0]
    site = call.listed or call.site
    names, made = listed([name_of(graph, each) for each in used]), graph.leaves[used[0]]
    asked = call.arguments[1] if len(call.arguments) > 1 else ""
    frozen = "; of what has `trainable = False` there is nothing in the list" if ".trainable_" in asked else ""
    place = f", {origin(site_at(graph.log, made))}" if graph.log.tensors[used[0]].name is not None else ""
    return Finding.at(
        graph.log,
        "untracked_parameter",
        site,
        f"The list of sources at {words(call.site)} is empty, so there is no gradient, although "
        f"{name_of(graph, target)} was computed from {names}{place}.",
        Fix(
            "Take the list after the first call of the model, which makes its variables: only what is in the list can "
            "learn.",
            moving.above_another(Editor(graph.log), site, call.site),
        )
        if call.listed is not None
        else (
            f"Keep variables where the model finds them, {dialect_of(graph.log).say('kept by the model')}, or list "
            f"them yourself{frozen}."
        ),
        made,
        call.position,
        target=target,
    )


def never_asked(graph: Graph) -> Iterator[Finding]:
    """A variable takes part in the target, but no call asks for its gradient, while those that are asked for learn.

    One that is made in the tape's block is made there for the list, as layers make theirs at their first call: the last
    one tells of it. One that the program freezes by a line of its own is left out on purpose.
    """
    finished = finished_calls(graph)
    written = {each.tensor for each in graph.log.of_kind(StateWritten).values()}
    if not finished or written.isdisjoint(each for each in finished[0].sources if graph.is_variable(each)):
        return
    known = written.union(*(call.sources for call in finished))
    for call in (finished[0], finished[-1]):
        missing = [
            each
            for each in call.reached_leaves
            if graph.is_variable(each) and each not in known and (graph.leaves[each] or 0) < (call.opened or 0)
        ]
        places = {each: site_at(graph.log, graph.leaves[each]) for each in missing}
        missing = [each for each, made in places.items() if made is None or not is_frozen(call.texts.of(made), made)]
        if missing:
            yield _never_asked(call, missing)
            return


def _never_asked(call: GradientCall, missing: list[int]) -> Finding:
    place, name = site_at(call.log, call.graph.leaves[missing[0]]), name_of(call.graph, missing[0])
    say = dialect_of(call.log).say
    more = counted(len(missing) - 1, f"other {say('variable')}")
    others = f"and {more} take" if missing[1:] else "takes"
    them, they = ("them", "they do") if missing[1:] else ("it", "it does")
    return Finding.at(
        call.log,
        "untracked_parameter",
        place or call.site,
        f"{name}, {origin(place)}, {others} part in {name_of(call.graph, call.targets[0])}, but no call asks for a "
        f"gradient by {them}, and nothing changes {them}: {they} not learn.",
        "If it is to stay as it is, all is well. Otherwise put it into the list of sources: "
        f"{say('kept by the model')}.",
        call.graph.leaves[missing[0]],
        call.position,
        severity="hint",
        target=call.targets[0],
    )


def made_at_every_pass(graph: Graph) -> Iterator[Finding]:
    """A line in the tape's block makes a new variable for every target, and no gradient is ever asked for it.

    Where nothing is trained, as where only the gradient by an input is wanted of several models, that is no loss.
    """
    finished = finished_calls(graph)
    if not _is_trained(graph, finished):
        return
    asked = {each for call in finished for each in call.sources}
    begun = [call.position or 0 for call in finished]
    made: dict[Site | None, dict[int, int]] = {}
    for tensor, position in graph.leaves.items():
        if position is None or tensor in asked or not graph.is_variable(tensor):
            continue
        at = bisect_right(begun, position)
        if at < len(begun) and (finished[at].opened or 0) < position:
            made.setdefault(site_at(graph.log, position), {}).setdefault(at, tensor)
    for site, passes in made.items():
        if len(passes) > 1 and all(tensor in finished[at].reached for at, tensor in passes.items()):
            yield _made_again(finished[min(passes)], [passes[at] for at in sorted(passes)], site)


def _is_trained(graph: Graph, finished: list[GradientCall]) -> bool:
    """Whether anything seems to learn: an optimizer is made, a variable written, or a gradient asked by variables.

    Where inputs and weights are leaves of one kind, those that a call names may be inputs.
    """
    if graph.optimizers or graph.writes:
        return True
    if not graph.log.facts.records_always:
        return any(graph.is_variable(each) for call in finished for each in call.sources)
    return any(not call.named for call in finished)


def _made_again(call: GradientCall, tensors: list[int], site: Site | None) -> Finding:
    """The variables of a line, one a pass: one that begins with the same numbers each time may be meant to."""
    tensor, target = tensors[0], name_of(call.graph, call.targets[0])
    name, values = name_of(call.graph, tensor), [call.log.value(each) for each in tensors]
    is_known = all(isinstance(each, (np.ndarray, np.generic)) for each in values)
    is_same = is_known and all(np.array_equal(each, values[0], equal_nan=True) for each in values)
    numbers = f", with {'the same' if is_same else 'other'} numbers" if is_known else ""
    return Finding.at(
        call.log,
        "untracked_parameter",
        site,
        f"{name}, {origin(site)}, is made anew at every pass{numbers}: {target} is computed from it, but no "
        "gradient is asked for it, and it never learns.",
        "Make it once, before the first pass: a layer as an attribute in `__init__`, which "
        f"`{dialect_of(call.log).say('forward')}` then only calls.",
        call.graph.leaves[tensor],
        call.position,
        symptom="wrong",
        severity="hint" if is_same else "warning",
        target=call.targets[0],
    )


RULES = (empty_list, never_asked, made_at_every_pass)
