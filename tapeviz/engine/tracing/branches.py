"""An `if` on a tensor in a graph -> what TensorFlow says of its branches, which it builds both before any of them runs.

Here one branch alone runs. So both are tried before, if they are as plain as most are, and nothing is left of that;
of other branches the source is asked.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple

from tapeviz.engine import nest
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.tracing import trial
from tapeviz.engine.tracing.loop_state import dtype_of
from tapeviz.errors import OpError
from tapeviz.events.program.autograph import blocks_around
from tapeviz.events.program.flow import bound, is_read_first, may_return, returns

_LEFT = "_tapeviz_left_"
"""What a branch that is tried calls at its end, with its names."""
_RESULT = "retval_"
"""What AutoGraph calls the result of a function that returns from a branch."""
_PLAIN = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Raise, ast.Expr, ast.Pass, ast.If)
_NEW = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Constant)
"""Expressions of what nobody else has: its methods change nothing."""
_STRANGE = (ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)
_HARMLESS = (abs, bool, complex, dict, float, int, isinstance, len, list, max, min, print, range, repr, str, sum, tuple)
_COMPUTING = ("tapeviz", "math")
"""The packages whose functions only compute; NumPy's might draw random numbers."""


class _AtEnd(NamedTuple):
    """A branch that was tried came to its end, with these names."""

    names: Mapping[str, Any]


class _Returned(NamedTuple):
    """A branch that was tried returned this."""

    value: Any


def try_branches(construct: ast.If, frame: FrameType, loops: Collection[Any]) -> None:
    """Try the branches of an `if` that a frame is at; TensorFlow makes some `loops` around it.

    Raises:
        ValueError: a branch does not return, or leaves a name without a value, where the other one does not.
        TypeError: their values are of two dtypes.
        Exception: what one of them raises.
    """
    around = blocks_around(frame, construct)
    (_, following), *further = around
    body, orelse = construct.body, construct.orelse
    if returns(body):  # as AutoGraph has it: the rest is the other branch
        orelse, following = [*orelse, *following], []
    elif returns(orelse):
        body, following = [*body, *following], []
    results = may_return(body) or may_return(orelse)
    if results and any(isinstance(each, ast.Try) or each in loops for each, _ in around):
        return  # TensorFlow says something else of that
    rest = [following, *(part for each, behind in further for part in ([each], behind))]
    live = [] if results else [each for each in sorted(bound(body) | bound(orelse)) if is_read_first(each, rest)]
    left = []
    for name, branch in (("main", body), ("else", orelse)):
        outcome = _outcome(branch, frame)
        if results and not may_return(branch):
            raise ValueError(f"the {name} branch must also have a return statement.")
        known = outcome.names if isinstance(outcome, _AtEnd) else {*frame.f_locals, *bound(branch)}
        for each in live:
            if each not in known:
                raise ValueError(f"'{each}' must also be initialized in the {name} branch")
        left.append(outcome)
    main, other = left
    if isinstance(main, _Returned) and isinstance(other, _Returned):
        _require_alike(_RESULT, main.value, other.value)
    if isinstance(main, _AtEnd) and isinstance(other, _AtEnd):
        for each in live:
            _require_alike(each, main.names[each], other.names[each])


def try_choices(construct: ast.IfExp, frame: FrameType) -> None:
    """The same for the two expressions of `x if condition else y`.

    Raises:
        TypeError: they are of two dtypes.
    """
    choices = construct.body, construct.orelse
    main, other = (_outcome([ast.copy_location(ast.Return(each), each)], frame) for each in choices)
    if isinstance(main, _Returned) and isinstance(other, _Returned):
        _require_alike(ast.unparse(construct.test), main.value, other.value)


def _require_alike(name: str, main: Any, other: Any) -> None:
    try:
        nest.assert_same_structure(main, other)
    except (TypeError, ValueError) as error:
        told = f"'{name}' must have the same nested structure in the main and else branches:\n\n{error}"
        raise TypeError(told) from None
    for one, another in zip(nest.flatten(main), nest.flatten(other), strict=True):
        for branch, each in (("main", one), ("else", another)):
            if each is None:
                raise ValueError(f"'{name}' is None at the end of the {branch} branch.")
        dtypes = dtype_of(one), dtype_of(another)
        if None not in dtypes and dtypes[0] != dtypes[1]:
            raise TypeError(
                f"'{name}' has dtype {dtypes[0]} in the main branch, but dtype {dtypes[1]} in the else branch"
            )


def _outcome(branch: Sequence[ast.stmt], frame: FrameType) -> _AtEnd | _Returned | None:
    """What a branch leaves or returns; None if it must run in its turn alone, or a value stops it."""
    if not all(_is_plain(each, frame) for each in branch):
        return None
    run = FunctionType(_compiled(branch, frame), {**frame.f_globals, _LEFT: _AtEnd})
    with trial.unnoticed():
        try:
            found = run(*(frame.f_locals[each] for each in _names(frame)))
        except trial.OpenRank:
            return None
        except OpError as error:
            if error.in_graph is None:  # the graph is built all the same, and may never run this
                return None
            raise
    return found if isinstance(found, _AtEnd) else _Returned(found)


def _names(frame: FrameType) -> list[str]:
    return [each for each in frame.f_locals if each.isidentifier()]


def _compiled(branch: Sequence[ast.stmt], frame: FrameType) -> CodeType:
    """The code of a function of the frame's names that does what the branch does, at its lines."""
    code = frame.f_code
    leave = ast.parse(f"lambda: {_LEFT}(locals())", mode="eval").body.body  # type: ignore[attr-defined]
    arguments = ast.arguments([], [ast.arg(each) for each in _names(frame)], None, [], [], None, [])
    name = code.co_name if code.co_name.isidentifier() else "branch"
    made = ast.FunctionDef(name, arguments, [*branch, ast.Return(leave)], [])
    end = max((each.end_lineno or 0 for each in branch), default=code.co_firstlineno)
    for each in (made, leave):
        each.lineno, each.col_offset, each.end_lineno, each.end_col_offset = code.co_firstlineno, 0, end, 0
    module = ast.fix_missing_locations(ast.Module([made], []))
    compiled = compile(module, code.co_filename, "exec")
    return next(each for each in compiled.co_consts if isinstance(each, CodeType))


def _is_plain(statement: ast.stmt, frame: FrameType) -> bool:
    """Whether a statement does nothing that cannot be undone: it sets names alone, and calls ops."""
    return isinstance(statement, _PLAIN) and all(_is_harmless(each, frame) for each in ast.walk(statement))


def _is_harmless(node: ast.AST, frame: FrameType) -> bool:
    if isinstance(node, ast.stmt):
        return isinstance(node, _PLAIN)
    if isinstance(node, ast.Attribute) and node.attr.startswith("__") and not node.attr.endswith("__"):
        return False  # the class alone knows what it is called
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Call):
        return _is_op(node.func, frame)
    return not isinstance(node, _STRANGE)


def _is_op(function: ast.expr, frame: FrameType) -> bool:
    """Whether a call is of an op, of a method of a tensor, of an error's class, or of what only computes."""
    path = list(_path(function))
    if not path:
        return isinstance(function, ast.Attribute) and isinstance(function.value, _NEW)
    first, *rest = path
    scopes = (frame.f_locals, frame.f_globals, vars(builtins))
    owner = value = next((each[first] for each in scopes if first in each), None)
    for each in rest:
        owner, value = value, getattr(value, each, None)
    if not rest:
        is_error = isinstance(value, type) and issubclass(value, BaseException)
        return is_error or any(value is each for each in _HARMLESS)
    if isinstance(owner, ModuleType):  # but no class of a module, whose objects may be counted, or must be few
        return owner.__name__.partition(".")[0] in _COMPUTING and callable(value) and not isinstance(value, type)
    return isinstance(owner, TensorLike)


def _path(function: ast.expr) -> Iterator[str]:
    """The names of `a.b.c`, nothing of another expression."""
    if isinstance(function, ast.Name):
        yield function.id
    elif isinstance(function, ast.Attribute):
        before = list(_path(function.value))
        if before:
            yield from (*before, function.attr)
