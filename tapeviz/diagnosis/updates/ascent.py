"""Graph -> Findings about trainings that climb: each step adds to the weights what it should take off, and the error
grows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tapeviz.diagnosis.causes import CAUSES
from tapeviz.diagnosis.edits import writing
from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall, finished_calls
from tapeviz.diagnosis.op_kinds import DIFFERENCES, POWERS, SOFTMAX_LOSSES
from tapeviz.diagnosis.updates.losses import MEANS, SAME, constant
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import OptimizerCreated, ParameterUpdated
from tapeviz.events.summary import elements_of
from tapeviz.graph import Graph, Op
from tapeviz.phrases import holds_of
from tapeviz.source.edits import all_of
from tapeviz.source.places import site_at

_CALLS = 4
"""How many gradient calls at the start of a training are looked at: momentum that carries on is none yet."""
_ALONG = 0.2
"""The cosine between a step and a gradient from which on the step goes along it; of Adam's it is far below 1."""
_AVERAGES = MEANS | SAME | {"reduce_sum"}
_ERRORS = frozenset(
    {*DIFFERENCES - {"sub"}, *SOFTMAX_LOSSES, "binary_cross_entropy", "nll_loss", "sigmoid_cross_entropy"}
)
"""Losses that are nought where all is as it should be, and never less."""
_SIZES = (POWERS & {"square", "pow"}) | {"abs"}
_SIGN_OF_ITS_OWN = frozenset({"optax"})
"""Optimizers whose steps are added as the program has made them; others know which way is down."""


@dataclass(frozen=True)
class _Climb:
    """A training: its first gradient calls, and the sources that each step moved along their gradients."""

    calls: tuple[GradientCall, ...]
    sources: tuple[int, ...]
    errors: tuple[float, ...]


def climbing(graph: Graph) -> Iterator[Finding]:
    """From the first step on, all weights move along the gradient of an error, which grows with each step.

    One weight alone may be data that is to be made worse, as in an attack on a model; several are a model's.
    """
    if graph.log.begins_late:
        return
    led = _led(graph)
    trainings: dict[object, list[GradientCall]] = {}
    for call in finished_calls(graph):
        names = tuple(graph.log.tensors[each].name for each in call.sources)
        trainings.setdefault((call.key(), names), []).append(call)
    for calls in trainings.values():
        climb = _climb(graph, tuple(calls[:_CALLS]), led) if len(calls) >= _CALLS else None
        if climb is not None:
            yield _finding(graph, climb)


def _led(graph: Graph) -> set[int]:
    """What optimizers change that know which way is down."""
    classes = {each.optimizer: each.name for each in graph.log.of_kind(OptimizerCreated).values()}
    updates = graph.log.of_kind(ParameterUpdated).values()
    return {each.tensor for each in updates if classes.get(each.optimizer) not in _SIGN_OF_ITS_OWN}


def _climb(graph: Graph, calls: tuple[GradientCall, ...], led: set[int]) -> _Climb | None:
    if len(calls[0].targets) > 1 or not _is_error(graph, calls[0].targets[0]):
        return None
    errors = [elements_of(graph.log.value(each.targets[0])) for each in calls]
    known = tuple([float(each.item()) for each in errors if each is not None and each.size == 1])
    if len(known) < len(calls) or not all(one < other for one, other in pairwise(known)):
        return None
    steps = [_moved(graph, *pair) for pair in pairwise(calls)]
    if any(not step or min(step.values()) < _ALONG for step in steps):
        return None
    sources = tuple(steps[0])
    shapes = {graph.log.tensors[each].shape for each in sources}
    return _Climb(calls, sources, known) if len(shapes) > 1 and led.isdisjoint(sources) else None


def _moved(graph: Graph, call: GradientCall, following: GradientCall) -> dict[int, float]:
    """Source -> the cosine between its gradient and how it moved until the following call; none that stayed."""
    found: dict[int, float] = {}
    for (source, gradient), later in zip(call.gradients.items(), following.gradients, strict=False):
        if gradient is None:
            continue
        values = (
            elements_of(graph.log.value(source, call.position)),
            elements_of(graph.log.value(later, following.position)),
            elements_of(graph.log.value(gradient)),
        )
        before, after, slope = (None if each is None else each.astype(np.float64) for each in values)
        if before is None or after is None or slope is None or not before.shape == after.shape == slope.shape:
            return {}
        sizes = float(np.linalg.norm(after - before) * np.linalg.norm(slope))
        if sizes:
            found[source] = float(np.vdot(after - before, slope)) / sizes
    return found


def _is_error(graph: Graph, tensor: int) -> bool:
    """Whether a target is how far something is from what it should be, or an average of that."""
    while (op := graph.op_of(tensor)) is not None and (op.op in _AVERAGES or _is_scaling(graph, op)):
        tensor = op.inputs[0]
    if op is None or op.op in _ERRORS:
        return op is not None
    is_square = op.op == "mul" and len({*op.inputs}) == 1
    made = graph.op_of(op.inputs[0]) if op.op in _SIZES or is_square else None
    return made is not None and made.op == "sub"


def _is_scaling(graph: Graph, op: Op) -> bool:
    """Whether an op only multiplies or divides its first operand by a positive number."""
    factor = constant(graph, op.inputs[1]) if op.op in ("mul", "div") else None
    return factor is not None and factor > 0


def _finding(graph: Graph, climb: _Climb) -> Finding:
    call, source = climb.calls[0], climb.sources[0]
    begin, end = (each.position or 0 for each in climb.calls[:2])
    writes = [next((at for at in graph.writes.get(each, ()) if begin < at < end), None) for each in climb.sources]
    sites = {site_at(graph.log, each) for each in writes}
    editor, site = Editor(graph.log), site_at(graph.log, writes[0])
    where = "" if site is None else f" at {words(site)}"
    first, last = climb.errors[0], climb.errors[-1]
    return Finding.at(
        graph.log,
        "ascent",
        site or call.site,
        f"Each of the first {len(climb.calls) - 1} recorded steps{where} moves {name_of(graph, source)} along its "
        f"gradient, up the slope of {name_of(graph, call.targets[0])}, which grows from {first:.3g} to {last:.3g}."
        f"{holds_of(len(climb.sources) - 1)}",
        Fix(CAUSES["ascent"].fix, all_of(writing.taken_off(editor, each) for each in sites)),
        call.position,
        writes[0],
        symptom="wrong",
        severity="hint",
        source=source,
        target=call.targets[0],
    )


RULES = (climbing,)
