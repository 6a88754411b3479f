"""Graph -> Findings about training steps that give the name of a loop to a result, and change no variable."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.wording.leaves import in_place, is_change
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import BackwardFinished, EventLog, GradientRead, StateWritten
from tapeviz.graph import Graph
from tapeviz.source.lines import assigned
from tapeviz.source.places import site_at
from tapeviz.source.statements import names_in
from tapeviz.source.text import Texts


def variable_unchanged(graph: Graph) -> Iterator[Finding]:
    """A loop over variables gives its own name to the next value of each, which nothing reads."""
    log, texts = graph.log, Texts(graph.log)
    gradients, changed = _gradients(log), {each.tensor for each in log.of_kind(StateWritten).values()}
    for position, op in graph.ops.items() if gradients else ():
        variable = next(iter(op.inputs), None)
        if variable is None or variable in changed or not graph.is_variable(variable):
            continue
        if any(graph.links_from(each) for each in op.outputs):
            continue
        site = site_at(log, position)
        name = assigned(site)
        if site is None or name is None or not is_change(site, name):
            continue
        if not _is_of_a_loop(texts.of(site).enclosing(site), name):
            continue
        if gradients.isdisjoint(graph.ancestors(op.inputs)):
            continue
        own, kind = name_of(graph, variable), dialect_of(log).say("variable")
        yield Finding.at(
            log,
            "source_rebound",
            site,
            f"The name `{name}` of a loop is given to the result of an op at {words(site)}: the {kind} {own}, for "
            "which it stood, stays as it is, and does not learn.",
            in_place(site, name, Editor(log)).reworded(f"Change the {kind} in place: {{}}.".format),
            position,
            symptom="wrong",
            severity="warning",
            source=variable,
        )
        return


def _gradients(log: EventLog) -> set[int | None]:
    """All gradients that calls gave, or that were read from a `.grad`."""
    given = {each for event in log.of_kind(BackwardFinished).values() for each in event.gradients}
    return (given | {each.gradient for each in log.of_kind(GradientRead).values()}) - {None}


def _is_of_a_loop(around: list[ast.AST], name: str) -> bool:
    """Whether the innermost loop around a line gives a name its values, and reads it no more after that line."""
    loop = next((each for each in reversed(around) if isinstance(each, ast.For)), None)
    line = next((each for each in reversed(around) if isinstance(each, ast.stmt)), None)
    if loop is None or line is None or name not in names_in([loop.target]):
        return False
    later = (each for each in ast.walk(loop) if isinstance(each, ast.Name) and each.lineno > (line.end_lineno or 0))
    return all(each.id != name for each in later)


RULES = (variable_unchanged,)
