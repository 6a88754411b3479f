"""Statements of the user's source -> whether they are so plain that they can be tried, and nothing is left of that.

They set names alone, and call ops: what ops do to variables can be undone.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import FunctionType, MethodType, ModuleType
from typing import Any, TypeAlias

from tapeviz.engine.tensors.tensor_like import TensorLike

Scopes: TypeAlias = Sequence[Mapping[str, Any]]
"""What names stand for, the inmost first; Python's own names come behind them."""

_PLAIN = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Raise, ast.Expr, ast.Pass, ast.If)
_NEW = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Constant)
"""Expressions of what nobody else has: its methods change nothing."""
_STRANGE = (ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)
_HARMLESS = (abs, bool, complex, dict, float, int, isinstance, len, list, max, min, print, range, repr, str, sum, tuple)
_ENDLESS = ("while_loop",)
"""Ops that may never end with values which the program does not come there with."""
_COMPUTING = ("tapeviz", "math")
"""The packages whose functions only compute; NumPy's might draw random numbers."""


def is_plain(block: Iterable[ast.stmt], scopes: Scopes) -> bool:
    """Whether statements do nothing that cannot be undone."""
    return all(isinstance(each, _PLAIN) and _is_all_harmless(each, scopes) for each in block)


def _is_all_harmless(statement: ast.AST, scopes: Scopes) -> bool:
    return all(_is_harmless(each, scopes) for each in ast.walk(statement))


def _is_harmless(node: ast.AST, scopes: Scopes) -> bool:
    if isinstance(node, ast.stmt):
        return isinstance(node, _PLAIN)
    if isinstance(node, ast.Attribute) and node.attr.startswith("__") and not node.attr.endswith("__"):
        return False  # the class alone knows what it is called
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Call):
        given = [*node.args, *(each.value for each in node.keywords)]
        return _is_op(node.func, scopes) and not any(_is_users(each, scopes) for each in given)
    return not isinstance(node, _STRANGE)


def _is_op(function: ast.expr, scopes: Scopes) -> bool:
    """Whether a call is of an op, of a method of a tensor, of an error's class, or of what only computes."""
    path = list(_path(function))
    if not path:
        return isinstance(function, ast.Attribute) and isinstance(function.value, _NEW)
    owner, value = _found(path, scopes)
    if len(path) == 1:
        is_error = isinstance(value, type) and issubclass(value, BaseException)
        return is_error or any(value is each for each in _HARMLESS)
    if isinstance(owner, ModuleType):  # but no class of a module, whose objects may be counted, or must be few
        is_function = callable(value) and not isinstance(value, type) and path[-1] not in _ENDLESS
        return is_function and _is_of(owner.__name__)
    return isinstance(owner, TensorLike)


def _is_users(argument: ast.expr, scopes: Scopes) -> bool:
    """Whether what is passed on is a function of the user's, of which nothing is known."""
    path = list(_path(argument))
    value = _found(path, scopes)[1] if path else None
    return isinstance(value, (FunctionType, MethodType)) and not _is_of(value.__module__ or "")


def _is_of(module: str) -> bool:
    return module.partition(".")[0] in _COMPUTING


def _found(path: Sequence[str], scopes: Scopes) -> tuple[Any, Any]:
    """What `a.b.c` stands for, behind what it is a part of; a name alone is a part of itself."""
    first, *rest = path
    owner = value = next((each[first] for each in (*scopes, vars(builtins)) if first in each), None)
    for each in rest:
        owner, value = value, getattr(value, each, None)
    return owner, value


def _path(function: ast.expr) -> Iterator[str]:
    """The names of `a.b.c`, nothing of another expression."""
    if isinstance(function, ast.Name):
        yield function.id
    elif isinstance(function, ast.Attribute):
        before = list(_path(function.value))
        if before:
            yield from (*before, function.attr)
