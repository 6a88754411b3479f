"""A name, the lines that ran -> the loop or branch in which alone it is read, if none of its lines ran."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from itertools import pairwise

from tapeviz.source.statements import FUNCTION
from tapeviz.source.text import SourceText


def read_where_nothing_ran(text: SourceText, name: str, line: int, ran: Collection[int]) -> ast.stmt | None:
    """The first loop or branch of those that have all the lines which read a name, below the `line` that gives it.

    A line that computes with a tensor is among those that `ran` if it did.
    """
    body = text.around(line, line)
    if body is None:
        return None
    readings = (each for each in _readings(body, name) if each[-1].lineno > line)
    around = [_skipped(each, ran) for each in readings]
    return None if not around or None in around else around[0]


def _readings(node: ast.AST, name: str, outer: tuple[ast.stmt, ...] = ()) -> Iterator[tuple[ast.stmt, ...]]:
    """The statements that read a name, each with those that it stands in, the outermost first."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt) and not isinstance(child, (*FUNCTION, ast.ClassDef)):
            inner = (*outer, child)
            if any(isinstance(each, ast.Name) and each.id == name for each in _own_parts(child)):
                yield inner
            yield from _readings(child, name, inner)
        elif not isinstance(child, (ast.expr, *FUNCTION, ast.ClassDef)):
            yield from _readings(child, name, outer)


def _own_parts(statement: ast.stmt) -> Iterator[ast.AST]:
    """What a statement reads by itself, without what stands in it."""
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.expr):
            yield from (each for each in ast.walk(child) if isinstance(getattr(each, "ctx", None), ast.Load))


def _skipped(reading: tuple[ast.stmt, ...], ran: Collection[int]) -> ast.stmt | None:
    """The outermost loop or branch around a statement of which no line ran."""
    for outer, inner in pairwise(reading):
        if isinstance(outer, (ast.For, ast.While, ast.If)):
            suite = outer.body if inner in outer.body else outer.orelse
            lines = range(suite[0].lineno, (suite[-1].end_lineno or suite[-1].lineno) + 1)
            if not any(each in ran for each in lines):
                return outer
    return None
