"""A part of the user's program that does not run, or not yet -> what it would leave, found by trying it.

It is tried if it is as plain as most are, and nothing is left of that but its errors.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

from tapeviz.engine.tracing import trial
from tapeviz.engine.tracing.plain import is_plain
from tapeviz.errors import OpError
from tapeviz.events.program.captures import enclosed
from tapeviz.events.program.flow import own_names
from tapeviz.events.program.functions import source_of

_LEFT = "_tapeviz_left_"
"""What a block that is tried calls at its end, with its names."""


class AtEnd(NamedTuple):
    """A block that was tried came to its end, with these names."""

    names: Mapping[str, Any]


class Returned(NamedTuple):
    """A block that was tried returned this, or a function."""

    value: Any


def outcome(
    block: Sequence[ast.stmt], frame: FrameType, given: Mapping[str, Any] | None = None
) -> AtEnd | Returned | None:
    """What a block leaves or returns in a frame, where some names are `given` other values.

    None if it must run in its turn alone, or a value stops it.
    """
    names = {name: value for name, value in {**frame.f_locals, **(given or {})}.items() if name.isidentifier()}
    if not is_plain(block, (names, frame.f_globals)):
        return None
    run = FunctionType(_compiled(block, list(names), frame.f_code), {**frame.f_globals, _LEFT: AtEnd})
    found = _tried(lambda: run(*names.values()))
    return found.value if found is not None and isinstance(found.value, AtEnd) else found


def outcome_of(function: Callable[[], Any]) -> Returned | None:
    """The same of a function that takes nothing."""
    source = source_of(function) if isinstance(function, FunctionType) else None
    if source is None:
        return None
    block = [ast.copy_location(ast.Return(source.body), source)] if isinstance(source, ast.Lambda) else source.body
    own = dict.fromkeys(own_names(source))
    if not is_plain(block, (own, enclosed(function), function.__globals__)):
        return None
    return _tried(function)


def _tried(run: Callable[[], Any]) -> Returned | None:
    with trial.unnoticed():
        try:
            return Returned(run())
        except trial.OpenRank:
            return None
        except OpError as error:
            if error.in_graph is None:  # the graph is built all the same, and may never run this
                return None
            raise


def _compiled(block: Sequence[ast.stmt], names: Sequence[str], code: CodeType) -> CodeType:
    """The code of a function of some names that does what a block of other code does, at its lines."""
    leave = ast.parse(f"lambda: {_LEFT}(locals())", mode="eval").body.body  # type: ignore[attr-defined]
    arguments = ast.arguments([], [ast.arg(each) for each in names], None, [], [], None, [])
    name = code.co_name if code.co_name.isidentifier() else "branch"
    made = ast.FunctionDef(name, arguments, [*block, ast.Return(leave)], [])
    end = max((each.end_lineno or 0 for each in block), default=code.co_firstlineno)
    for each in (made, leave):
        each.lineno, each.col_offset, each.end_lineno, each.end_col_offset = code.co_firstlineno, 0, end, 0
    module = ast.fix_missing_locations(ast.Module([made], []))
    compiled = compile(module, code.co_filename, "exec")
    return next(each for each in compiled.co_consts if isinstance(each, CodeType))
