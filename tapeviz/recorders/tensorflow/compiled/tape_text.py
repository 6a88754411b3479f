"""The line that takes a gradient -> the block in which its tape records, as the text of the program has it.

A graph does not say which of its ops a tape has recorded. The text does, where a function opens a tape by `with` and
takes the gradient itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from linecache import getlines
from typing import NamedTuple, TypeAlias

from tapeviz.source.parsing import parse

_TAPE = "GradientTape"
_OTHER_WAYS = frozenset(("stop_recording", "reset", "jacobian", "batch_jacobian"))
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


class TapeText(NamedTuple):
    """What the text says of a tape: its `with` statement, and from which line to which the block goes.

    Attributes:
        watches: the lines in it that watch something, with its name.
    """

    file: str
    function: str
    opened: int
    first: int
    last: int
    is_persistent: bool
    is_accessed: bool
    watches: tuple[tuple[int, str], ...]


class GradientText(NamedTuple):
    """A call that takes a gradient: of which tape, and the name of what is differentiated, if that is one."""

    tape: TapeText
    target: str


@cache
def gradient_at(file: str, number: int) -> GradientText | None:
    """What the text says of the gradient that is taken in a line; None where it does not say enough."""
    tree = parse("".join(getlines(file)))
    function = _innermost(tree, number) if tree is not None else None
    if function is None:
        return None
    calls = [each for each in _calls(function, "gradient") if each.lineno <= number <= (each.end_lineno or 0)]
    if len(calls) != 1:
        return None
    (call,) = calls
    name = _owner(call)
    tape = _tape(file, function, name, call.lineno)
    is_plain = len(call.args) <= 2 and all(each.arg in ("target", "sources") for each in call.keywords)
    if tape is None or not is_plain:
        return None
    given = {each.arg: each.value for each in call.keywords} | dict(zip(("target", "sources"), call.args, strict=False))
    target = given.get("target")
    return GradientText(tape, target.id if isinstance(target, ast.Name) else "")


@cache
def lines_assigning(file: str, number: int, name: str) -> tuple[tuple[int, int], ...]:
    """The first and last lines of the statements that give a variable its value, in the function around a line."""
    tree = parse("".join(getlines(file)))
    function = _innermost(tree, number) if tree is not None else None
    found: list[tuple[int, int]] = []
    for each in ast.walk(function) if function is not None else ():
        if isinstance(each, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
            targets = each.targets if isinstance(each, ast.Assign) else [each.target]
            parts = [part for target in targets for part in ast.walk(target)]
            if any(isinstance(part, ast.Name) and part.id == name for part in parts):
                found.append((each.lineno, each.end_lineno or each.lineno))
    return tuple(found)


def _tape(file: str, function: _Function, name: str, before: int) -> TapeText | None:
    """The tape of a name that a function has opened last before a line."""
    found: list[tuple[ast.With, ast.Call]] = []
    for each in [each for each in ast.walk(function) if isinstance(each, ast.With) and each.lineno <= before]:
        for item in each.items:
            opened, call = item.optional_vars, item.context_expr
            is_named = isinstance(opened, ast.Name) and opened.id == name
            if is_named and isinstance(call, ast.Call) and _name_of_call(call) == _TAPE:
                found.append((each, call))
    if not found or any(_owner(call) == name for way in _OTHER_WAYS for call in _calls(function, way)):
        return None
    block, call = max(found, key=lambda pair: pair[0].lineno)
    options = {each.arg: each.value.value for each in call.keywords if isinstance(each.value, ast.Constant)}
    if call.args or len(options) < len(call.keywords):
        return None
    watched = [each for each in _calls(function, "watch") if _owner(each) == name]
    watched = [each for each in watched if block.lineno <= each.lineno <= (block.end_lineno or 0)]
    names = [each.args[0].id for each in watched if len(each.args) == 1 and isinstance(each.args[0], ast.Name)]
    if len(names) < len(watched):
        return None
    watches = tuple(zip([each.lineno for each in watched], names, strict=True))
    ends = block.body[0].lineno, block.end_lineno or block.lineno
    flags = bool(options.get("persistent", False)), bool(options.get("watch_accessed_variables", True))
    return TapeText(file, function.name, block.lineno, *ends, *flags, watches)


def _innermost(tree: ast.AST, number: int) -> _Function | None:
    functions: list[_Function] = [each for each in ast.walk(tree) if isinstance(each, _FUNCTIONS)]
    around = [each for each in functions if each.lineno <= number <= (each.end_lineno or 0)]
    return max(around, key=lambda each: each.lineno, default=None)


def _calls(function: ast.AST, method: str) -> Iterator[ast.Call]:
    """The calls of a method of what has a name."""
    for each in ast.walk(function):
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.func.attr == method:
            yield each


def _owner(call: ast.Call) -> str:
    value = call.func.value if isinstance(call.func, ast.Attribute) else None
    return value.id if isinstance(value, ast.Name) else ""


def _name_of_call(call: ast.Call) -> str:
    return str(getattr(call.func, "attr", getattr(call.func, "id", "")))
