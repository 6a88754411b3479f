"""Graph -> Findings about copies of weights that are older than the weights: autocast keeps one until its block ends.

No op of the program makes or reads such a copy. It shows in the backward pass, where the gradient goes from the op that
read it to the op of an earlier forward pass in which it was made, and to the weight from there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.diagnosis.edits import calls
from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import VjpApplied
from tapeviz.graph import Graph
from tapeviz.replay import Run, Step, runs
from tapeviz.source.places import site_at


class _Copy(NamedTuple):
    """The op in which a weight was copied, a later one that reads the copy, and a write to the weight between them."""

    weight: int
    copied: int
    read: int
    written: int


def old_copies(graph: Graph) -> Iterator[Finding]:
    """A weight was changed after autocast had made its copy of it, from which a later gradient comes."""
    told: set[int] = set()
    for run in runs(graph.log) if any(map(_is_unread, graph.log.of_kind(VjpApplied).values())) else ():
        for copy in _old_copies(graph, run) if run.rows is None else ():
            if copy.weight not in told:
                told.add(copy.weight)
                yield _finding(graph, copy)


def _old_copies(graph: Graph, run: Run) -> Iterator[_Copy]:
    for step in filter(_is_unread, run.steps):
        for weight in dict.fromkeys(each.tensor for each in step.contributions):
            read = _reader(graph, run, step, weight)
            written = None if read is None else _written(graph, weight, step.op, read)
            if read is not None and written is not None:
                yield _Copy(weight, step.op, read, written)


def _is_unread(step: Step | VjpApplied) -> bool:
    """Whether it is not known what gradient arrives, as at an op whose results were not read."""
    return all(each is None for each in step.upstream)


def _reader(graph: Graph, run: Run, copying: Step, weight: int) -> int | None:
    """The later op that reads a weight, in other numbers than it has, and gives it no gradient itself."""
    dtype = graph.log.tensors[weight].dtype
    for step in run.steps:
        op = graph.ops[step.op]
        gives = any(each.tensor == weight for each in step.contributions)
        if step.op > copying.op and weight in op.inputs and not gives:
            return step.op if graph.log.tensors[op.outputs[0]].dtype != dtype else None
    return None


def _written(graph: Graph, weight: int, after: int, before: int) -> int | None:
    """Where a weight was last written to between two ops."""
    between = [each for each in graph.writes.get(weight, ()) if after < each < before]
    return between[-1] if between else None


def _finding(graph: Graph, copy: _Copy) -> Finding:
    name, site, op = name_of(graph, copy.weight), site_at(graph.log, copy.written), graph.ops[copy.read]
    called, read = dialect_of(graph.log).op(op.op), words(site_at(graph.log, copy.read))
    few, editor = graph.log.tensors[op.outputs[0]].dtype, Editor(graph.log)
    return Finding.at(
        graph.log,
        "stale_value",
        site,
        f"`{called}` at {read} reads a {few} copy of {name} that autocast made in an earlier pass, and keeps until its "
        f"block ends: what {words(site)} wrote into {name} since then changes neither the result nor the gradient.",
        Fix(
            f"Leave the autocast block before {words(site)} changes {name}, and enter it anew in each pass; or pass "
            "`cache_enabled=False`.",
            calls.with_option(editor, calls.around(editor, site, "autocast"), ("autocast",), "cache_enabled", "False"),
        ),
        copy.copied,
        copy.written,
        copy.read,
        symptom="wrong",
        severity="warning",
        source=copy.weight,
    )


RULES = (old_copies,)
