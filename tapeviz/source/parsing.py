"""A source -> its syntax tree, no deeper than readers can go; None where it is none, or Python cannot parse it."""

from __future__ import annotations

import ast
from threading import Lock

PARSING = Lock()
"""Python 3.11 counts how deep it is in a source for all threads together, and fails when two of them parse at once."""
DEEPEST = 100
"""How deep an expression may nest. `ast.unparse` and others go down by calls, of which a program may have open many."""


def parse(source: str) -> ast.Module | None:
    """The syntax tree of a source.

    An expression that nests too deeply is `...` in it, at the same place.

    >>> parse("loss = (") is None
    True
    >>> ast.unparse(parse(f"y = {'-' * 200}x"))
    'y = ...'
    """
    try:
        with PARSING:
            tree = ast.parse(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    if len(source) >= DEEPEST:  # what is shorter cannot nest so deep
        _flatten(tree)
    return tree


def parse_expression(source: str) -> ast.expr | None:
    """The same of a source that is one expression.

    >>> ast.unparse(parse_expression(" x+1")), parse_expression("x = 1"), parse_expression(" ")
    ('x + 1', None, None)
    """
    match parse(source.strip()):
        case ast.Module(body=[ast.Expr(value=value)]):
            return value
    return None


def _flatten(tree: ast.AST) -> None:
    """Put `...` in the place of every expression that nests too deeply."""
    outer: list[ast.AST] = [tree]
    for node in outer:  # it grows, by all that is no expression
        for name, value in ast.iter_fields(node):
            found = value if isinstance(value, list) else [value]
            flat = [_omitted(each) if isinstance(each, ast.expr) and _is_deep(each) else each for each in found]
            outer += [each for each in flat if isinstance(each, ast.AST) and not isinstance(each, ast.expr)]
            setattr(node, name, flat if isinstance(value, list) else flat[0])


def _is_deep(expression: ast.expr) -> bool:
    level: list[ast.AST] = [expression]
    for _ in range(DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return False
    return True


def _omitted(expression: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Constant(...), expression)
