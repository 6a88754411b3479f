"""Graph -> names from the source for leaves that have none of their own: `w["q"]`, `images`; what made them: `arange`.

Only where it is sure which tensor is meant: the op is the operator or the function that is written at its place.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cache

from tapeviz.events import EventLog, Site
from tapeviz.graph import Graph
from tapeviz.source.parsing import parse_expression
from tapeviz.source.statements import callee, operands

MAKERS = frozenset(
    {
        f"{name}{like}"
        for name in ("empty", "full", "ones", "rand", "randint", "randn", "zeros")
        for like in ("", "_like")
    }
    | {"arange", "eye", "linspace", "logspace", "one_hot", "randperm"}
)
"""Functions that make a tensor of no other, whose names say what is in it."""


def names_in_source(graph: Graph) -> dict[int, str]:
    """Leaf -> the words for it where it is read first.

    Where the source is not at hand, as of what is typed into a plain interpreter, there are none.

    >>> import tapeviz as tv
    >>> from tapeviz.graph import build
    >>> with tv.GradientTape() as tape:
    ...     y = [tv.Variable(2.0)][0] * 3.0
    >>> names_in_source(build(tape.log))
    {}
    """
    log = graph.log
    found: dict[int, str] = {}
    written = cache(lambda site, function: _arguments(log, log.sites[site], function))
    for op in graph.ops.values():
        wanted = [slot for slot, tensor in enumerate(op.inputs) if _is_nameless(graph, tensor) and tensor not in found]
        words = written(op.site, op.op) if wanted and op.site is not None else []
        if len(words) == len(op.inputs):
            found.update({op.inputs[slot]: words[slot] for slot in wanted if words[slot]})
    return found


def maker_in_source(log: EventLog, leaf: Site | None) -> str:
    """The function that is written where a leaf was made, if its name says what is in the leaf; else ""."""
    written = _expression(f"({_text(log, leaf)})") if leaf is not None else None
    name = callee(written) if isinstance(written, ast.Call) else None
    return name if name in MAKERS else ""


def _is_nameless(graph: Graph, tensor: int) -> bool:
    row = graph.log.tensors[tensor]
    return not row.name and not row.is_number and graph.producer(tensor) is None


def _arguments(log: EventLog, site: Site, function: str) -> Sequence[str]:
    """The arguments as written at an op's place; "" for what is not a name, [] if the op is not written there."""
    source = f"({_text(log, site)})"
    written = _expression(source)
    if written is None or callee(written) != function:
        return []
    return [_name(source, each) for each in operands(written)]


def _text(log: EventLog, site: Site) -> str:
    """The source from a site's start to its end; its columns count bytes."""
    lines = [line.encode() for line in log.source(site.filename)[site.line - 1 : site.end_line]]
    if not lines:
        return ""
    lines[-1] = lines[-1][: site.end_column]
    lines[0] = lines[0][site.column :]
    return b"".join(line if line.endswith(b"\n") else line + b"\n" for line in lines).decode(errors="replace")


@cache
def _expression(source: str) -> ast.expr | None:
    return parse_expression(source)


def _name(source: str, written: ast.expr) -> str:
    """A name, an attribute or an element as it is written; "" for anything else, which computes."""
    inner = [each for each in ast.walk(written) if isinstance(each, ast.expr)]
    plain = all(isinstance(each, (ast.Name, ast.Attribute, ast.Subscript, ast.Constant)) for each in inner)
    return (ast.get_source_segment(source, written) or "") if plain and not isinstance(written, ast.Constant) else ""
