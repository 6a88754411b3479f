"""Graph -> Findings about gradients that stay in the tensors: looked for where none stays, cleared, added to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tapeviz.diagnosis.edits import calls, following, moving
from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.error.messages import last_before
from tapeviz.diagnosis.finding import Finding, Severity
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.none.rebound import ever_watched, leaves_of_that_name, rebound
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.leaves import in_place, is_change, leaf_last, made_leaf
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import origin, words
from tapeviz.events import (
    BackwardFinished,
    BackwardStarted,
    GradientCleared,
    GradientRead,
    GradientStored,
    LeafCreated,
    OptimizerStepped,
    Site,
    StateWritten,
    VjpApplied,
)
from tapeviz.graph import Graph
from tapeviz.phrases import unquoted
from tapeviz.source.grad_use import GradUse, grad_use
from tapeviz.source.places import site_at
from tapeviz.source.text import Texts


def found_empty(graph: Graph, calls: Sequence[GradientCall]) -> dict[int | None, list[int]]:
    """Per position of a call the tensors that the program found without a gradient after it, though it wanted one.

    Of several calls it is the last that the tensor took part in. A leaf that is newer than all of them, and gets its
    gradient from one that comes, is looked at too early for any.
    """
    ever = {each.tensor for each in graph.log.of_kind(GradientStored).values()}
    found: dict[int | None, list[int]] = {}
    given = graph.handing_over
    stored: set[int] = set()
    texts = Texts(graph.log)
    ended = 0
    for position, event in enumerate(graph.log.events):
        if isinstance(event, GradientStored):
            stored.add(event.tensor)
        elif isinstance(event, BackwardFinished):
            ended += 1
        elif isinstance(event, GradientRead) and event.gradient is None and event.tensor not in stored:
            before = [each for each in calls[:ended] if each.number not in given]
            if not before or (event.tensor in ever and _is_newer(graph, event.tensor, before[-1])):
                continue
            if is_wanted(graph, texts, event, position) and not _passed(before, event.tensor):
                call = next((each for each in reversed(before) if event.tensor in each.ancestors), before[-1])
                found.setdefault(call.position, []).append(event.tensor)
    return found


def is_wanted(graph: Graph, texts: Texts, read: GradientRead, position: int) -> bool:
    """Whether a program that finds no gradient wanted one: who only tests whether there is one does not.

    Of a parameter it may be told that it is frozen, and a function may return that has nothing to do for it.
    """
    site = site_at(graph.log, position)
    does = grad_use(texts.of(site), site) if site else GradUse.READ
    if does in (GradUse.READ, GradUse.TESTED) or not graph.is_variable(read.tensor):
        return does is not GradUse.TESTED
    created = graph.leaves[read.tensor]
    leaf = None if created is None else graph.log.events[created]
    return does is GradUse.MISSED and isinstance(leaf, LeafCreated) and leaf.trainable


def _is_newer(graph: Graph, tensor: int, call: GradientCall) -> bool:
    created = graph.leaves.get(tensor)
    return created is not None and call.position is not None and created > call.position


def _passed(calls: Iterable[GradientCall], tensor: int) -> bool:
    """Whether a gradient arrived at a result, which keeps none."""
    return any(tensor in call.reached and call.graph.producer(tensor) is not None for call in calls)


def missed(call: GradientCall) -> list[int]:
    """The parameters that the target of a `backward` was computed from, where all it met is made of their numbers.

    That is a leaf in their place: the target itself, or one that has no name, so that nobody can want its gradient.
    """
    graph, log, met = call.graph, call.log, call.sources
    if call.position is None or not log.facts.records_always:
        return []
    if not all(log.tensors[each].name is None and graph.links_into(each) for each in met) or call.named:
        return []
    leaves = (call.ancestors & graph.leaves.keys() & call.followed).difference(call.targets, met)
    behind = sorted(each for each in leaves if graph.is_variable(each))
    unused = all(graph.last_used.get(each, -1) < call.position for each in met)
    is_futile = unused and not any(call.ancestors_of([each]).isdisjoint(behind) for each in met)
    return behind if is_futile else []


def non_leaf_grad(graph: Graph) -> Iterator[Finding]:
    """The program reads `.grad` of an intermediate result that a gradient passed."""
    told: set[int] = set()
    passed: set[int] = set()
    for position, event in enumerate(graph.log.events):
        match event:
            case VjpApplied():
                passed.update(graph.ops[event.op].outputs)
            case GradientStored():
                told.add(event.tensor)
            case GradientRead(gradient=None, tensor=tensor) if tensor in passed and tensor not in told:
                told.add(tensor)
                yield _not_kept(graph, tensor, position)


def _not_kept(graph: Graph, tensor: int, position: int) -> Finding:
    """A result keeps no gradient; one that has the name of the leaf it was made from was to stay that leaf."""
    made = graph.made_at(tensor)
    site, read, name = site_at(graph.log, made), site_at(graph.log, position), name_of(graph, tensor)
    before = graph.ancestors([tensor]) & graph.leaves.keys() & ever_watched(graph.log)
    first = next(iter(leaves_of_that_name(graph, tensor, before)), None)
    if first is None or leaf_last(site) is not None:
        cause, fix = "non_leaf_grad", _kept(Editor(graph.log), site, name)
        why = f"{name}, {origin(site)}, is the result of an op: a gradient passed it, but only leaves keep theirs"
    else:
        cause, fix = "source_rebound", _leaf_again(graph, tensor, site)
        why = rebound(graph, name, first, site, "keeps no gradient, unlike a leaf")
    return Finding.at(
        graph.log,
        cause,
        site,
        f"{why}, so `.grad` is None at {words(read)}.",
        fix,
        made,
        position,
        symptom="none",
        source=tensor,
    )


def _kept(editor: Editor, site: Site | None, name: str) -> Fix | str | None:
    """How a result is made to keep its gradient: as a leaf, where its line made it of one."""
    line = leaf_last(site)
    if line is not None:
        return made_leaf(editor, site, line)
    code = f"{unquoted(name)}.retain_grad()"
    retained = f"Call `{code}` before the backward pass, or ask `torch.autograd.grad` for it."
    edit = following.from_its_making(editor, site, unquoted(name), code)
    return Fix(retained, edit) if name.startswith("`") else None


def _leaf_again(graph: Graph, tensor: int, site: Site | None) -> Fix:
    """How a name stays with its leaf: by a change in place, if the next value of the leaf was meant."""
    name = graph.log.tensors[tensor].name or ""
    gradients = {each.gradient for each in graph.log.of_kind(GradientStored, GradientRead).values()}
    learns_by_it = len(graph.ancestors([tensor]) & graph.leaves.keys() & ever_watched(graph.log)) > 1
    if not learns_by_it and (is_change(site, name) or not gradients.isdisjoint(graph.ancestors([tensor]))):
        return in_place(site, name, Editor(graph.log)).reworded(lambda code: f"Change the tensor in place: {code}.")
    kept = following.from_its_making(Editor(graph.log), site, name, f"{name}.retain_grad()")
    return Fix(f"Give the result a name of its own: `{name}` is then the leaf still, and keeps its gradient.", kept)


def cleared_before_use(graph: Graph) -> Iterator[Finding]:
    """Gradients were cleared after the backward pass and before anything used them: a step, or a look at them.

    Where another pass follows the clearing, that stands where it belongs: it is not why a gradient is missing.
    """
    fresh: dict[int, int] = {}
    cleared: dict[int, tuple[int, int]] = {}
    told: set[Site | None] = set()
    for position, event in enumerate(graph.log.events):
        match event:
            case BackwardStarted():
                cleared.clear()
            case GradientStored(tensor=tensor):
                fresh[tensor] = position
            case GradientCleared(tensor=tensor) if tensor in fresh:
                cleared[tensor] = (fresh.pop(tensor), position)
            case StateWritten(tensor=tensor):
                fresh.pop(tensor, None)
            case GradientRead(gradient=gradient, tensor=tensor) if gradient is not None or tensor not in cleared:
                fresh.pop(tensor, None)
            case GradientRead(tensor=tensor):
                yield from _cleared(graph, tensor, *cleared[tensor], position, told)
            case OptimizerStepped() if cleared and not event.parameters:
                tensor, (stored, at) = next(iter(cleared.items()))
                yield from _cleared(graph, tensor, stored, at, position, told)


def _cleared(
    graph: Graph, tensor: int, stored: int, cleared: int, position: int, reported: set[Site | None]
) -> Iterator[Finding]:
    site, use, name = site_at(graph.log, cleared), site_at(graph.log, position), name_of(graph, tensor)
    if site in reported:
        return
    reported.add(site)
    yield Finding.at(
        graph.log,
        "cleared_before_use",
        site,
        f"The gradient of {name} was stored by the backward pass and cleared at {words(site)} before {words(use)} used "
        "it: there is none left.",
        Fix(
            "Clear the gradients before the backward pass, or after the step that uses them.",
            moving.above_another(
                Editor(graph.log), site, site_at(graph.log, last_before(graph, stored, BackwardStarted))
            ),
        ),
        stored,
        cleared,
        position,
        symptom="none",
        source=tensor,
    )


def accumulated_gradient(graph: Graph) -> Iterator[Finding]:
    """A gradient was used, by a step or a look; a backward pass added to it; and it was used again, never cleared.

    Who only looks may well want the sum, so that is a hint. What an op of the program's writes into the tensor, as a
    moving average, is no use of its gradient: the program has to read that first.
    """
    began = 0
    used: dict[int, int] = {}
    added: dict[int, tuple[int, int, int]] = {}
    stored: set[int] = set()
    for position, event in enumerate(graph.log.events):
        match event:
            case BackwardStarted():
                began = position
            case GradientStored(tensor=tensor, accumulated=True) if tensor in used:
                added.setdefault(tensor, (used[tensor], began, position))
            case GradientStored(tensor=tensor):
                stored.add(tensor)
            case GradientCleared(tensor=tensor):
                used.pop(tensor, None)
                added.pop(tensor, None)
                stored.discard(tensor)
            case StateWritten(tensor=tensor, value=None) | GradientRead(tensor=tensor) if tensor in added:
                yield _added_to(graph, tensor, *added[tensor], "hint" if isinstance(event, GradientRead) else "warning")
                return
            case StateWritten(tensor=tensor, value=None) | GradientRead(tensor=tensor) if tensor in stored:
                used.setdefault(tensor, position)


def _added_to(graph: Graph, tensor: int, used: int, began: int, position: int, severity: Severity) -> Finding:
    site, use, name = site_at(graph.log, began), site_at(graph.log, used), name_of(graph, tensor)
    editor = Editor(graph.log)
    optimizer = calls.optimizer_at(editor, use)
    return Finding.at(
        graph.log,
        "accumulated_gradient",
        site,
        f"The backward pass at {words(site)} adds to the gradient of {name}, which {words(use)} has used already: "
        "nothing clears it between, so `.grad` holds the sum of all passes so far.",
        Fix(
            "Clear the gradients before each backward pass: "
            + (
                "`optimizer.zero_grad()`."
                if severity == "warning"
                else "`optimizer.zero_grad()`, or set `.grad` to None."
            ),
            calls.before(editor, site, f"{optimizer}.zero_grad()" if optimizer else f"{unquoted(name)}.grad = None"),
        ),
        used,
        position,
        symptom="wrong",
        severity=severity,
        source=tensor,
    )


RULES = (non_leaf_grad, cleared_before_use, accumulated_gradient)
