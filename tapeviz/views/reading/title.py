"""Log, graph, runs and names -> a title for the recording: what program it is of, how large, and what came out."""

from __future__ import annotations

from collections.abc import Sequence

from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.events import EventLog, TapeOpened
from tapeviz.events.summary import elements_of
from tapeviz.graph import Graph
from tapeviz.phrases import counted
from tapeviz.replay import Run
from tapeviz.views.reading.shown_run import opening_run
from tapeviz.views.words.names import Names
from tapeviz.views.words.numbers import is_scalar, rounded, written

MOST_MODELS = 2
"""A recording is called by its models, if it has no more."""
DIGITS = 4
ENTRY = "main"
"""What so many programs call the function that calls all others that it says nothing."""


def title_of(graph: Graph, runs: Sequence[Run], names: Names) -> str:
    """The classes of its models, or the function that ran all of its ops, or what the framework calls a recording; the
    number of its ops; and its target, if that is a number: `MLP: 12 ops, loss = 0.931`."""
    ops = counted(len(graph.ops), "op")
    models = _models(graph.log)
    program = " and ".join(models) if len(models) <= MOST_MODELS else ""
    program = program or _function(graph)
    return f"{f'{program}: ' if program else f'{_recording(graph.log)} of '}{ops}{_result(graph.log, runs, names)}"


def _models(log: EventLog) -> list[str]:
    """The classes of the modules that are called in no other, in the order of their first calls."""
    scopes = log.scopes
    modules = [scope for scope in scopes if scope.kind]
    inner = (any(scopes[each].kind for each in log.outward(scope.parent)) for scope in modules)
    return list(dict.fromkeys(scope.kind for scope, is_inner in zip(modules, inner, strict=True) if not is_inner))


def _function(graph: Graph) -> str:
    """The innermost function that all ops ran in; "" where that is none with a name of its own."""
    around = [list(graph.log.outward(scope)) for scope in {op.scope for op in graph.ops.values()}]
    shared = set(around[0]).intersection(*around) if around else set()
    names = (graph.log.scopes[scope].name for scope in (around[0] if around else ()) if scope in shared)
    return next((name for name in names if name.isidentifier() and name != ENTRY), "")


def _recording(log: EventLog) -> str:
    tapes = len({event.tape for event in log.of_kind(TapeOpened).values()})
    return "recording" if tapes == 0 else dialect_of(log).say("recording") if tapes == 1 else f"{tapes} tapes"


def _result(log: EventLog, runs: Sequence[Run], names: Names) -> str:
    """The target of the run that is shown first, and its number; "" where it is no number, or not kept."""
    targets = runs[opening_run(log, runs)].targets if runs else ()
    value = elements_of(log.value(targets[0])) if len(targets) == 1 else None
    if value is None or not is_scalar(value):
        return ""
    return f", {names.tensor(targets[0])} = {written(rounded(float(value), DIGITS))}"
