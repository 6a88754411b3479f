"""Graph -> Findings about gradients that the program looked for before any backward pass could have left them."""

from __future__ import annotations

from collections.abc import Iterator

from tapeviz.diagnosis.edits import calls
from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.recording.grad_attribute import is_wanted
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import BackwardStarted, Event, GradientRead, LeafCreated, OpRecorded, OptimizerStepped
from tapeviz.graph import Graph
from tapeviz.source.edits import Edit
from tapeviz.source.places import site_at
from tapeviz.source.text import Texts


def used_before_backward(graph: Graph) -> Iterator[Finding]:
    """A leaf's `.grad` was read, or a step taken that had nothing to step with, ahead of the first backward pass.

    Who looks first and computes afterwards may want to show just that: it is a hint then.
    """
    texts, first = Texts(graph.log), _first_pass(graph)
    ahead = graph.log.events[:first]
    if any(_is_of_an_earlier_pass(event) for event in ahead):
        return
    for position, event in enumerate(ahead):
        match event:
            case GradientRead(gradient=None, tensor=tensor) if _learns(graph, tensor):
                if is_wanted(graph, texts, event, position):
                    name = name_of(graph, tensor)
                    yield _too_early(graph, position, f"The gradient of {name} is read", tensor)
                    return
            case OptimizerStepped(parameters=()):
                yield _too_early(graph, position, "The optimizer steps", None)
                return


def _first_pass(graph: Graph) -> int | None:
    """Where the first backward pass begins that may leave gradients in tensors."""
    begun = graph.log.of_kind(BackwardStarted).items()
    return next((at for at, each in begun if each.run not in graph.handing_over), None)


def _is_of_an_earlier_pass(event: Event) -> bool:
    """Whether something uses a gradient that a backward pass from before the recording has computed."""
    match event:
        case OptimizerStepped(parameters=used):
            return bool(used)
        case GradientRead(gradient=read):
            return read is not None
    return False


def _learns(graph: Graph, tensor: int) -> bool:
    created = graph.leaves.get(tensor)
    leaf = None if created is None else graph.log.events[created]
    return isinstance(leaf, LeafCreated) and leaf.trainable


def _too_early(graph: Graph, position: int, used: str, source: int | None) -> Finding:
    first = _first_pass(graph)
    site, later = site_at(graph.log, position), words(site_at(graph.log, first))
    return Finding.at(
        graph.log,
        "used_before_backward",
        site,
        f"{used} at {words(site)}, "
        + (
            "but no backward pass in this recording leaves one in it."
            if first is None and graph.handing_over
            else "but no backward pass in this recording computes any gradient."
            if first is None
            else f"before the first backward pass, at {later}, computes any gradient."
        ),
        Fix("Call `loss.backward()` before that.", _called_before(graph, position))
        if first is None
        else f"Do that after the backward pass at {later}.",
        position,
        first,
        symptom="none",
        severity="error" if first is None else "hint",
        source=source,
    )


def _called_before(graph: Graph, position: int) -> Edit | None:
    """A backward pass of the last number of the program's that has a name."""
    rows, site = graph.log.tensors, site_at(graph.log, position)
    made = [op.outputs[0] for at, op in graph.ops.items() if at < position and isinstance(op, OpRecorded)]
    losses = [name for each in made if not rows[each].shape and (name := rows[each].name) is not None]
    editor = Editor(graph.log)
    if site is None or not losses or not editor.knows(site, losses[-1]):
        return None
    return calls.before(editor, site, f"{losses[-1]}.backward()")


RULES = (used_before_backward,)
