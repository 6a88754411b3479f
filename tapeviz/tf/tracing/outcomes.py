"""A part of the user's program that has not run -> what it would return or leave in its names, found by a dry run.

TensorFlow builds all branches of a graph, so it finds mistakes in those that never run. Only code that is free of side
effects is run; all that remains of it is the error that it raises, if it does.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

from tapeviz.errors import OpError
from tapeviz.events.program.captures import enclosed
from tapeviz.events.program.flow import own_names
from tapeviz.events.program.functions import source_of
from tapeviz.tf.tracing.dry_run import dry_run
from tapeviz.tf.tracing.side_effects import has_no_side_effects
from tapeviz.tf.tracing.uncalled import OpenRank

_LEFT = "_tapeviz_left_"
"""What is called at the end of a block in a dry run, with its local names."""


class AtEnd(NamedTuple):
    """The end of a block, with its local names."""

    names: Mapping[str, Any]


class Returned(NamedTuple):
    """The result of a block or a function that returned."""

    value: Any


def outcome(
    block: Sequence[ast.stmt], frame: FrameType, given: Mapping[str, Any] | None = None
) -> AtEnd | Returned | None:
    """How a block of statements would end.

    Args:
        block: the statements.
        frame: the frame that they are run in.
        given: other values for some of its names.

    Returns:
        None if it is not known: the block has side effects, or fails because of a value, which a graph does not have.

    Raises:
        Exception: any error of the block.
    """
    names = {name: value for name, value in {**frame.f_locals, **(given or {})}.items() if name.isidentifier()}
    if not has_no_side_effects(block, (names, frame.f_globals)):
        return None
    run = FunctionType(_compiled(block, list(names), frame.f_code), {**frame.f_globals, _LEFT: AtEnd})
    found = _tried(lambda: run(*names.values()))
    return found.value if found is not None and isinstance(found.value, AtEnd) else found


def outcome_of(function: Callable[[], Any]) -> Returned | None:
    """How a call of a function without arguments would end, as `outcome` tells it."""
    source = source_of(function) if isinstance(function, FunctionType) else None
    if source is None:
        return None
    block = [ast.copy_location(ast.Return(source.body), source)] if isinstance(source, ast.Lambda) else source.body
    own = dict.fromkeys(own_names(source))
    if not has_no_side_effects(block, (own, enclosed(function), function.__globals__)):
        return None
    return _tried(function)


def _tried(run: Callable[[], Any]) -> Returned | None:
    with dry_run():
        try:
            return Returned(run())
        except OpenRank:
            return None
        except OpError as error:
            if error.in_graph is None:  # the graph is built without an error, and may never run this
                return None
            raise


def _compiled(block: Sequence[ast.stmt], names: Sequence[str], code: CodeType) -> CodeType:
    """The code of a function with these parameters and this body, which has the name and the lines of other code."""
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
