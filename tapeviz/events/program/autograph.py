"""The place where a program asks for a tensor's value -> whether AutoGraph would make an op of that Python code.

AutoGraph rewrites `if`, `while`, `for`, `and`, `or` and `not`, and leaves other Python code as it is. The instruction
that a frame is at says what asks, and the source says what for. Without source, the code is taken to be rewritten.
"""

from __future__ import annotations

import ast
import dis
import sys
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

from tapeviz.events.program.frames import PACKAGE_FILES
from tapeviz.source.sites import COMPREHENSIONS, instruction_of, moved_left, parsed, read_lines, span_of

_ASKING = ("UNARY_NOT", "TO_BOOL", "POP_JUMP", "JUMP_IF")
"""How the instructions begin that ask whether something is true."""
_COMPARE_AND_ASK = 16
"""The bit by which a comparison asks that of its own result, since Python 3.13."""
_INDEXING = ("BINARY_SUBSCR", "BINARY_SLICE")
"""The instructions that are `x[i]` and `x[i:j]`."""
_INDEX = 26
"""The operator that is `x[i]`, since Python 3.14."""
_CONVERSIONS = frozenset({"float", "int", "complex", "bool"})
_JOINING = (ast.BoolOp, ast.UnaryOp)
_CONDITIONS = (*_JOINING, ast.Compare)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_BLOCKS = ("body", "orelse", "finalbody", "handlers")


def is_users(frame: FrameType) -> bool:
    """Whether the user's code asks, rather than the library for it."""
    return frame.f_code.co_filename not in PACKAGE_FILES


def is_loop(frame: FrameType) -> bool:
    """Whether a frame is at the head of a `for`: not at `a, b = x`, `[*x]`, `list(x)` or `[f(y) for y in x]`."""
    code, place = frame.f_code, instruction_of(frame.f_code, frame.f_lasti)
    return dis.opname[code.co_code[place]] == "GET_ITER" and not _is_left_alone(code, place)


def is_users_loop(frame: FrameType) -> bool:
    """Whether a frame is at the head of a `for` of the program's own."""
    return is_users(frame) and (is_loop(frame) or _is_enumerated(frame))


def _is_enumerated(frame: FrameType) -> bool:
    """Whether a frame is at the `enumerate(x)` of a `for i, each in enumerate(x)`."""
    code = frame.f_code
    if not dis.opname[code.co_code[instruction_of(code, frame.f_lasti)]].startswith("CALL"):
        return False
    _, node, around = _node_and_parent(code, instruction_of(code, frame.f_lasti))
    is_head = isinstance(around, ast.For) and node is around.iter and isinstance(node, ast.Call)
    return is_head and isinstance(node.func, ast.Name) and node.func.id == "enumerate"


def is_condition(frame: FrameType) -> bool:
    """Whether a frame is at a condition: not at `bool(x)`, `max(x, y)`, `x in xs`, `assert x` or `[y for ... if x]`."""
    code, place = frame.f_code, instruction_of(frame.f_code, frame.f_lasti)
    name, argument = dis.opname[code.co_code[place]], code.co_code[place + 1]
    compares = name == "COMPARE_OP" and sys.version_info >= (3, 13) and argument & _COMPARE_AND_ASK
    return bool(compares or name.startswith(_ASKING)) and not _is_left_alone(code, place)


def asked_by(frame: FrameType) -> type[Any]:
    """What a frame that is at a condition has it for, such as `ast.If` or `ast.BoolOp`."""
    return type(construct_at(frame))


def is_negated(frame: FrameType) -> bool:
    """Whether a frame that is at a condition asks for it in `not x`."""
    _, node, around = _node_and_parent(frame.f_code, instruction_of(frame.f_code, frame.f_lasti))
    whole = getattr(construct_at(frame), "test", None) if node is None else None
    return any(isinstance(each, ast.UnaryOp) and isinstance(each.op, ast.Not) for each in (node, around, whole))


def construct_at(frame: FrameType) -> Any:
    """The same as that part of the source, None if there is no source."""
    return _construct_at(frame.f_code, instruction_of(frame.f_code, frame.f_lasti))


def takes_number(frame: FrameType) -> bool:
    """Whether a frame is at Python code that takes a number, and is no conversion to one: `math.exp(x)`, `"%f" % x`."""
    _, node, _ = _node_and_parent(frame.f_code, instruction_of(frame.f_code, frame.f_lasti))
    if isinstance(node, ast.Call):
        return not (isinstance(node.func, ast.Name) and node.func.id in _CONVERSIONS)
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)


def is_index(frame: FrameType) -> bool:
    """Whether a frame is at `x[i]` or `x[i:j]`."""
    code, place = frame.f_code, instruction_of(frame.f_code, frame.f_lasti)
    name, argument = dis.opname[code.co_code[place]], code.co_code[place + 1]
    return name in _INDEXING or (name == "BINARY_OP" and argument == _INDEX)


@lru_cache(maxsize=4096)
def _node_and_parent(code: CodeType, place: int) -> tuple[Any, Any, Any]:
    """The source of an instruction, the part of it that it stands for, and what that is a part of."""
    lines = read_lines(code.co_filename)
    source = parsed("".join(lines))
    node = source.node(span_of(code, place, moved_left(code, lines)))
    return source, node, source.parent(node)


@lru_cache(maxsize=4096)
def _construct_at(code: CodeType, place: int) -> Any:
    """What an instruction asks for: the whole that its condition is of, or the `and`, `or` or `not` on its own.

    Before Python 3.12 it stands where the whole of an `if` or `while` is.
    """
    source, node, around = _node_and_parent(code, place)
    if node is None and source.tree is not None:
        line, *_ = span_of(code, place)
        heads = (each for each in ast.walk(source.tree) if isinstance(each, (ast.If, ast.While)))
        return next((each for each in heads if each.lineno <= line <= (each.test.end_lineno or 0)), None)
    if isinstance(node, (*_JOINING, ast.IfExp)):
        around = node
    whole = around
    while isinstance(whole, _JOINING):
        whole = source.parent(whole)
    return whole if isinstance(whole, (ast.If, ast.While, ast.IfExp)) else around


@lru_cache(maxsize=4096)
def _is_left_alone(code: CodeType, place: int) -> bool:
    """Whether an instruction is that of an assertion, or of the `for` or `if` of a comprehension.

    Before Python 3.13 some stand where the whole of it is, since then all where their expression is.
    """
    source, node, around = _node_and_parent(code, place)
    if isinstance(node, (ast.Assert, *COMPREHENSIONS)):
        return True
    while isinstance(around, _CONDITIONS):
        around = source.parent(around)
    return isinstance(around, (ast.Assert, ast.comprehension))
