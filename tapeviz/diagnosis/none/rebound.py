"""Graph, tensor -> the leaf whose name a result has taken over, and what to say about it.

The leaf keeps its gradient, and the program can no longer reach it: what it finds under the name is a result.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.diagnosis.wording.places import origin, words
from tapeviz.events import EventLog, Site, Watched
from tapeviz.graph import Graph
from tapeviz.source import lines
from tapeviz.source.places import same_line, site_at


def leaves_of_that_name(graph: Graph, result: int, before: set[int]) -> list[int]:
    """Those of the leaves `before` a result whose name it has: that of the log, or that which its line reads."""
    maker, log = graph.producer(result), graph.log
    own = log.tensors[result].name
    if maker is None or own is None:
        return []
    named = [each for each in sorted(before) if log.tensors[each].name == own]
    read = [each for each in _read_by_the_line(graph, maker) if each in before]
    return named + [each for each in read if takes_over(graph, maker, result, each)]


def ever_watched(log: EventLog) -> set[int]:
    """The variables, and what any tape watched."""
    variables = {row.id for row in log.tensors if row.role == "variable"}
    return variables | {each.tensor for each in log.of_kind(Watched).values()}


def takes_over(graph: Graph, maker: int, result: int, earlier: int) -> bool:
    """Whether the result of an op has the name of one that was there before it.

    What a method calls `self.w` the log calls `m.w` if a constructor made it: there the line tells, which reads it.
    """
    own = graph.log.tensors[result].name
    if own is None or own == graph.log.tensors[earlier].name:
        return own is not None
    return _reads_its_own_name(site_at(graph.log, maker), own) and earlier in _read_by_the_line(graph, maker)


def _reads_its_own_name(site: Site | None, name: str) -> bool:
    """Whether a line is `name = ...` with the same name on its right: what had it, in that function, has it no more."""
    match lines.line_of(site):
        case [ast.Assign(targets=[target], value=value)] if ast.unparse(target) == name:
            return any(isinstance(each, ast.expr) and ast.unparse(each) == name for each in ast.walk(value))
    return False


def _read_by_the_line(graph: Graph, maker: int) -> Iterator[int]:
    """What an op reads, and what those read that the same line made for it."""
    site, waiting, seen = site_at(graph.log, maker), [maker], {maker}
    for position in waiting:
        for each in graph.ops[position].inputs:
            yield each
            before = graph.producer(each)
            if before is not None and before not in seen and same_line(site_at(graph.log, before), site):
                seen.add(before)
                waiting.append(before)


def rebound(graph: Graph, name: str, first: int, site: Site | None, does: str) -> str:
    """That a line gave the name of the leaf `first` to a result, and what becomes of such a result."""
    say = dialect_of(graph.log).say
    kind = say("variable") if graph.is_variable(first) else "tensor"
    made = origin(site_at(graph.log, graph.made_at(first)))
    return f"{name} is no longer the {kind} {made}: {words(site)} gave its name to the result of an op, which {does}"
