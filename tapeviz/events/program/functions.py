"""A Python function -> the part of the user's source that it is."""

from __future__ import annotations

import ast
from functools import lru_cache
from types import CodeType, FunctionType

from tapeviz.source.sites import parsed, read_lines

Definition = ast.Lambda | ast.FunctionDef
_LAMBDA = "<lambda>"


def source_of(function: FunctionType) -> Definition | None:
    """A function's definition; of several `lambda` in a line, the one where the instructions of its code stand.

    None if there is no source, or several definitions may be meant.
    """
    return source_of_code(function.__code__)


@lru_cache(maxsize=1024)
def source_of_code(code: CodeType) -> Definition | None:
    """The same for the code of a function."""
    tree = parsed("".join(read_lines(code.co_filename))).tree
    every = list(ast.walk(tree)) if tree is not None else []
    if code.co_name == _LAMBDA:
        around = [each for each in every if isinstance(each, ast.Lambda) and _holds(each.body, code)]
        return max(around, key=lambda each: _span(each.body)[0], default=None)  # the inmost
    there = [each for each in every if isinstance(each, ast.FunctionDef) and _begins_at(each, code)]
    return there[0] if len(there) == 1 else None


def _begins_at(definition: ast.FunctionDef, code: CodeType) -> bool:
    first = min([definition.lineno, *(each.lineno for each in definition.decorator_list)])
    return definition.name == code.co_name and first == code.co_firstlineno


def _holds(body: ast.expr, code: CodeType) -> bool:
    """Whether all instructions of a code stand in an expression."""
    begin, end = _span(body)
    places = [
        ((line, column), (end_line, end_column))
        for line, end_line, column, end_column in list(code.co_positions())
        if line and end_line and column is not None and end_column is not None and end_column
    ]
    return bool(places) and all(begin <= first and last <= end for first, last in places)


def _span(part: ast.expr) -> tuple[tuple[int, int], tuple[int, int]]:
    return (part.lineno, part.col_offset), (part.end_lineno or 0, part.end_col_offset or 0)
