"""Graph -> Findings about functions made in a loop and called after it: each of them sees the loop's last value."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.edits.following import with_own_value
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import Site
from tapeviz.graph import Graph
from tapeviz.phrases import listed
from tapeviz.source.places import calls, site_at
from tapeviz.source.sites import COMPREHENSIONS
from tapeviz.source.statements import FUNCTION, names_in
from tapeviz.source.text import Texts

LOOPS = (ast.For, *COMPREHENSIONS)


@dataclass(frozen=True)
class LateBinding:
    """A function made in a loop: at `site`, with `names` of the loop's in it; the ops that it ran after the loop."""

    site: Site
    names: tuple[str, ...]
    positions: tuple[int, ...]


def late_binding(graph: Graph) -> Iterator[Finding]:
    """A function that was made in a loop reads a name of the loop, and ran several times after it."""
    return (_finding(graph, each) for each in _late_bindings(graph))


def late_bound(question: Question) -> Finding | None:
    """The source is not used, but another one like it was, several times, by a function that was made in a loop."""
    shape = question.log.tensors[question.source].shape
    for each in question.call.once("late binding", lambda: list(_late_bindings(question.graph))):
        read = {tensor for position in each.positions for tensor in question.graph.ops[position].inputs}
        if any(tensor in question.graph.leaves and question.log.tensors[tensor].shape == shape for tensor in read):
            found = _finding(question.graph, each)
            return replace(
                found, severity="error", symptom="none", source=question.source, target=question.target,
                message=f"{found.message} {question.outcome}.",
                evidence=tuple(sorted({*found.evidence, question.call.position or 0})),
            )  # fmt: skip
    return None


def _late_bindings(graph: Graph) -> Iterator[LateBinding]:
    """The functions that ran twice or more after the loop that made them."""
    texts, called = Texts(graph.log), _outermost_function(graph)
    known: dict[int, tuple[Site, tuple[str, ...], range] | None] = {}
    found: dict[tuple[Site, tuple[str, ...]], list[int]] = {}
    for position, op in graph.ops.items():
        if op.site is None:
            continue
        if op.site not in known:
            known[op.site] = _made_in_loop(texts, graph.log.sites[op.site])
        made = known[op.site]
        if made is not None and not _runs_within(graph, position, called, made[0], made[2]):
            found.setdefault(made[:2], []).append(position)
    for (site, names), positions in found.items():
        if sum(graph.ops[each].site == graph.ops[positions[0]].site for each in positions) > 1:
            yield LateBinding(site, names, tuple(positions))


def _made_in_loop(texts: Texts, site: Site) -> tuple[Site, tuple[str, ...], range] | None:
    """The function around a site, the names of a loop that it looks up, and the lines of that loop."""
    path = texts.of(site).enclosing(site)
    at = next((at for at in range(len(path) - 1, -1, -1) if isinstance(path[at], (*FUNCTION, ast.Lambda))), None)
    function = None if at is None else path[at]
    if at is None or not isinstance(function, (*FUNCTION, ast.Lambda)):
        return None
    for loop in reversed(path[:at]):
        if isinstance(loop, (*FUNCTION, ast.Lambda, ast.ClassDef)):
            return None
        if isinstance(loop, LOOPS):
            shared = sorted(_looked_up(function) & _bound(loop))
            if shared:
                line = texts.of(site).lines[function.lineno - 1].strip()
                made = replace(site, line=function.lineno, end_line=function.lineno, column=0, end_column=0, text=line)
                return made, tuple(shared), range(loop.lineno, (loop.end_lineno or loop.lineno) + 1)
    return None


def _looked_up(function: ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The names that a function reads and does not make."""
    own = {each.arg for each in ast.walk(function) if isinstance(each, ast.arg)}
    body = function.body if isinstance(function.body, list) else [function.body]
    names = [node for part in body for node in ast.walk(part) if isinstance(node, ast.Name)]
    own |= {each.id for each in names if isinstance(each.ctx, ast.Store)}
    return {each.id for each in names} - own


def _bound(loop: ast.AST) -> set[str]:
    """The names that stand for something else in each pass of a loop."""
    match loop:
        case ast.For(target=target, body=body):
            stored = (node for part in body for node in ast.walk(part) if isinstance(node, ast.Name))
            return names_in([target]) | {each.id for each in stored if isinstance(each.ctx, ast.Store)}
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return names_in([each.target for each in loop.generators])
    return set()


def _runs_within(graph: Graph, position: int, outermost: int | None, maker: Site, loop: range) -> bool:
    """Whether the function that an op is in was called while the loop went on, or may have been: by a library."""
    (_, *outward), scopes = zip(*calls(graph.log, position), strict=True)
    if scopes[-1] is not None:  # no line of the user's is known that called it
        begun = site_at(graph.log, 0)
        if scopes[-1] != outermost or begun is None or not outward:
            return True
        outward.append(begun)
    return any(each.filename == maker.filename and each.line in loop for each in outward)


def _outermost_function(graph: Graph) -> int | None:
    """The scope of the function that the recorder calls itself, as it does the outermost one of JAX's."""
    scopes, outermost = graph.log.scopes, set()
    for scope in {op.scope for op in graph.ops.values()} if graph.log.facts.calls_outermost else ():
        while scope is not None and scopes[scope].site is not None:
            scope = scopes[scope].parent
        if scope is not None:
            outermost.add(scope)
    return min(outermost, default=None)


def _finding(graph: Graph, binding: LateBinding) -> Finding:
    one = len(binding.names) == 1
    last, own = (
        ("its last value", "a value of its own, as a default argument")
        if one
        else ("their last values", "values of its own, as default arguments")
    )
    given = ", ".join(f"{each}={each}" for each in binding.names)
    return Finding.at(
        graph.log,
        "python_closure",
        binding.site,
        f"The functions made at {words(binding.site)} look {listed([f'`{each}`' for each in binding.names])} up when "
        f"they are called, which is after the loop: all of them see {last}.",
        Fix(f"Give each function {own}: `{given}`.", with_own_value(Editor(graph.log), binding.site, binding.names)),
        *binding.positions[:1],
        symptom="wrong",
        severity="hint",
    )
