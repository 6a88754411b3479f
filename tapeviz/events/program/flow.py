"""Statements of the user's source -> what control and names do in them: returning, binding, reading."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tapeviz.source.sites import COMPREHENSIONS

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, *COMPREHENSIONS)
"""Parts of the source that bind names of their own."""


def returns(block: Sequence[ast.stmt]) -> bool:
    """Whether a block returns whatever happens in it, as AutoGraph sees it: one that raises does not.

    >>> returns(ast.parse("if x: return 1\\nelse: return 2").body), returns(ast.parse("if x: return 1").body)
    (True, False)
    """
    return any(map(_is_returning, block))


def _is_returning(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.If):
        return returns(statement.body) and returns(statement.orelse)
    return isinstance(statement, ast.Return) or (isinstance(statement, ast.With) and returns(statement.body))


def may_return(block: Sequence[ast.stmt]) -> bool:
    """Whether there is a `return` in a block."""
    return any(isinstance(each, ast.Return) for statement in block for each in _own_parts(statement))


def may_break(block: Sequence[ast.stmt]) -> bool:
    """Whether a `break` in a block leaves the loop that the block is in.

    >>> may_break(ast.parse("if x: break").body), may_break(ast.parse("for y in x: break").body)
    (True, False)
    """
    apart = (*_SCOPES, ast.For, ast.While)
    return any(isinstance(each, ast.Break) for statement in block for each in _own_parts(statement, apart))


def bound(block: Sequence[ast.stmt]) -> set[str]:
    """The names that a block may give values to.

    >>> sorted(bound(ast.parse("x, y = 1, 2\\nfor z in x: y += [w for w in z]").body))
    ['x', 'y', 'z']
    """
    parts = [each for statement in block for each in _own_parts(statement)]
    names = {each.id for each in parts if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    return names | {each.name for each in parts if isinstance(each, (ast.FunctionDef, ast.ClassDef))}


def is_read_first(name: str, blocks: Sequence[Sequence[ast.stmt]]) -> bool:
    """Whether what follows, block after block, may read a name before it binds it anew.

    >>> is_read_first("x", [ast.parse("x = 1").body, ast.parse("y = x").body])
    False
    >>> (
    ...     is_read_first("x", [ast.parse("y = [x for x in z]").body]),
    ...     is_read_first("x", [ast.parse("y = [x for z in z]").body]),
    ... )
    (False, True)
    """
    return next((found for block in blocks if (found := _in_block(name, block)) is not None), False)


def _in_block(name: str, block: Sequence[ast.AST]) -> bool | None:
    """True if a name is read first, False if it is bound, or nothing follows; None if neither."""
    return next((found for each in block if (found := _in_statement(name, each)) is not None), None)


def _in_statement(name: str, statement: ast.AST) -> bool | None:
    match statement:
        case ast.If(test=test, body=body, orelse=orelse):
            found = [_in_block(name, body), _in_block(name, orelse)]
            if _reads(name, test) or True in found:
                return True
            return False if found == [False, False] else None
        case ast.For(iter=head, body=body, orelse=orelse) | ast.While(test=head, body=body, orelse=orelse):
            again = isinstance(statement, ast.For) and name in _stored(statement.target)
            return _reads(name, head) or (not again and _in_block(name, body)) or _in_block(name, orelse) or None
        case ast.With(items=items, body=body):
            return _in_block(name, [*items, *body])
        case ast.withitem(context_expr=manager, optional_vars=target):
            return True if _reads(name, manager) else False if target and name in _stored(target) else None
        case ast.Try() | ast.Match():
            return False if name in bound([statement]) else None
    if _reads(name, statement):
        return True
    ends = isinstance(statement, (ast.Return, ast.Raise))
    return False if ends or (isinstance(statement, ast.stmt) and name in bound([statement])) else None


def _reads(name: str, part: ast.AST) -> bool:
    """Whether a name is read in a part; in functions and comprehensions too, unless they have one of their own."""
    match part:
        case ast.Name():
            return part.id == name and isinstance(part.ctx, ast.Load)
        case ast.AugAssign(target=ast.Name(id=target)) if target == name:
            return True
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            first, *_ = part.generators
            if any(name in _stored(each.target) for each in part.generators):
                return _reads(name, first.iter)
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
            if name in own_names(part):
                return any(_reads(name, each) for each in (*part.args.defaults, *part.args.kw_defaults) if each)
    return any(_reads(name, each) for each in ast.iter_child_nodes(part))


def own_names(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> set[str]:
    """The names that a function takes or binds."""
    taken = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
    return taken if isinstance(function, ast.Lambda) else taken | bound(function.body)


def _stored(target: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(target) if isinstance(each, ast.Name)}


def _own_parts(node: ast.AST, apart: tuple[type[ast.AST], ...] = _SCOPES) -> Iterator[ast.AST]:
    """A statement and its parts, but not those of what stands `apart` in it, such as functions."""
    yield node
    if not isinstance(node, apart):
        for each in ast.iter_child_nodes(node):
            yield from _own_parts(each, apart)
