"""Graph -> Findings about steps by gradients that still carry the factor by which a scaler has multiplied the loss."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tapeviz.diagnosis.edits import calls
from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.updates.gradients import events_around_steps, stored_in_parameters
from tapeviz.diagnosis.updates.losses import constant
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import BackwardStarted, GradientCleared, GradientStored, OptimizerStepped, Site
from tapeviz.graph import Graph
from tapeviz.phrases import counted
from tapeviz.source.places import site_at
from tapeviz.source.statements import callee


def stepped_while_scaled(graph: Graph) -> Iterator[Finding]:
    """An optimizer steps by gradients of a loss that a scaler has multiplied; nothing has changed them since.

    Whatever does may divide them, and of such gradients nothing is said.
    """
    scaled = dict(_scaled_passes(graph))
    if not scaled:
        return
    owner, overwrites = stored_in_parameters(graph.log)
    carried: dict[int, int] = {}  # a parameter, and the op that scaled the loss whose gradient it has
    known: set[Site | None] = set()
    for position, event in events_around_steps(graph.log):
        match event:
            case GradientStored(run=run, tensor=tensor) if run in scaled:
                carried[tensor] = scaled[run]
            case GradientStored(tensor=tensor) | GradientCleared(tensor=tensor):
                carried.pop(tensor, None)
            case OptimizerStepped(parameters=parameters):
                used = [each for each in parameters if each in carried]
                site = site_at(graph.log, position)
                if used and site not in known:
                    known.add(site)
                    yield _still_scaled(graph, position, carried[used[0]], used)
            case _ if position in overwrites:
                for _, after in overwrites[position].gradients:
                    carried.pop(owner[after], None)


def _scaled_passes(graph: Graph) -> Iterator[tuple[int, int]]:
    """The passes whose target a scaler has multiplied, and where: a call of `scale` made it of a loss and a number."""
    editor = Editor(graph.log)
    for event in graph.log.of_kind(BackwardStarted).values():
        position = graph.producer(event.targets[0])
        op = None if position is None else graph.ops[position]
        if position is not None and op is not None and op.op == "mul" and (_factor(graph, position) or 0.0) > 1.0:
            node = editor.node(site_at(graph.log, position))
            if isinstance(node, ast.Call) and callee(node) == "scale":
                yield event.run, position


def _factor(graph: Graph, position: int) -> float | None:
    return constant(graph, graph.ops[position].inputs[1])


def _still_scaled(graph: Graph, step: int, scale: int, used: list[int]) -> Finding:
    site, scaled = site_at(graph.log, step), site_at(graph.log, scale)
    more = f" and {counted(len(used) - 1, 'other')}" if len(used) > 1 else ""
    editor = Editor(graph.log)
    optimizer, call = calls.optimizer_at(editor, site), editor.node(scaled)
    fix = "Have the scaler take the step, and then `update` it: it divides the gradients first."
    if optimizer and scaled is not None and isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        scaler = editor.text(scaled, call.func.value)
        fix = f"Have the scaler take the step, which divides first: `{scaler}.step({optimizer})`, `{scaler}.update()`."
    return Finding.at(
        graph.log,
        "scaled_gradient_used",
        site,
        f"The step at {words(site)} uses the gradients of {name_of(graph, used[0])}{more} as they come of the loss "
        f"that {words(scaled)} has scaled: they are {_factor(graph, scale):,g} times as large.",
        fix,
        scale,
        step,
        symptom="wrong",
        source=used[0],
    )


RULES = (stepped_while_scaled,)
