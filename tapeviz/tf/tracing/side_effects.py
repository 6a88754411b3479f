"""Statements of the user's source -> whether they are free of side effects, so that a dry run leaves no trace.

They may assign to names, and call ops and functions that only compute; what ops do to variables can be undone.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import FunctionType, MethodType, ModuleType
from typing import Any, TypeAlias

from tapeviz.engine.tensors.tensor_like import TensorLike

Scopes: TypeAlias = Sequence[Mapping[str, Any]]
"""The values of names, of the innermost scope first; Python's builtins come last."""

_ALLOWED = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Raise, ast.Expr, ast.Pass, ast.If)
_NEW = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Constant)
"""Expressions whose value is new, so that nobody else sees what its methods do."""
_FORBIDDEN = (ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)
_HARMLESS = (abs, bool, complex, dict, float, int, isinstance, len, list, max, min, print, range, repr, str, sum, tuple)
_ENDLESS = ("while_loop",)
"""Ops that may never end with the values of a dry run."""
_COMPUTING = ("tapeviz", "math")
"""The packages whose functions only compute; NumPy's might draw random numbers."""


def has_no_side_effects(block: Iterable[ast.stmt], scopes: Scopes) -> bool:
    """Whether everything that these statements do can be undone.

    Args:
        block: the statements.
        scopes: the values of the names in them.
    """
    return all(isinstance(each, _ALLOWED) and _is_all_harmless(each, scopes) for each in block)


def _is_all_harmless(statement: ast.AST, scopes: Scopes) -> bool:
    return all(_is_harmless(each, scopes) for each in ast.walk(statement))


def _is_harmless(node: ast.AST, scopes: Scopes) -> bool:
    if isinstance(node, ast.stmt):
        return isinstance(node, _ALLOWED)
    if isinstance(node, ast.Attribute) and node.attr.startswith("__") and not node.attr.endswith("__"):
        return False  # a private name, which Python mangles
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Call):
        given = [*node.args, *(each.value for each in node.keywords)]
        return _is_op(node.func, scopes) and not any(_is_users(each, scopes) for each in given)
    return not isinstance(node, _FORBIDDEN)


def _is_op(function: ast.expr, scopes: Scopes) -> bool:
    """Whether a call is of an op, a method of a tensor, an exception class, or a function that only computes."""
    path = list(_path(function))
    if not path:
        return isinstance(function, ast.Attribute) and isinstance(function.value, _NEW)
    owner, value = _found(path, scopes)
    if len(path) == 1:
        is_error = isinstance(value, type) and issubclass(value, BaseException)
        return is_error or any(value is each for each in _HARMLESS)
    if isinstance(owner, ModuleType):  # no class: how many objects it has may matter, as of a layer
        is_function = callable(value) and not isinstance(value, type) and path[-1] not in _ENDLESS
        return is_function and _is_of(owner.__name__)
    return isinstance(owner, TensorLike)


def _is_users(argument: ast.expr, scopes: Scopes) -> bool:
    """Whether an argument is a function of the user's, which may have side effects."""
    path = list(_path(argument))
    value = _found(path, scopes)[1] if path else None
    return isinstance(value, (FunctionType, MethodType)) and not _is_of(value.__module__ or "")


def _is_of(module: str) -> bool:
    return module.partition(".")[0] in _COMPUTING


def _found(path: Sequence[str], scopes: Scopes) -> tuple[Any, Any]:
    """The object whose attribute `a.b.c` is, and the attribute; of a single name, its value twice."""
    first, *rest = path
    owner = value = next((each[first] for each in (*scopes, vars(builtins)) if first in each), None)
    for each in rest:
        owner, value = value, getattr(value, each, None)
    return owner, value


def _path(function: ast.expr) -> Iterator[str]:
    """The names in `a.b.c`; none if it is another kind of expression."""
    if isinstance(function, ast.Name):
        yield function.id
    elif isinstance(function, ast.Attribute):
        before = list(_path(function.value))
        if before:
            yield from (*before, function.attr)
