"""Where a program asks for a tensor's value -> whether AutoGraph makes an op of that piece of Python.

It rewrites `if`, `while`, `for`, `and`, `or` and `not`; other Python that looks at values it leaves as it is.
"""

from __future__ import annotations

import dis
from types import FrameType

from tapeviz.events.frames import PACKAGE_FILES
from tapeviz.events.sites import instruction_of, is_inline

_NO_INSTRUCTIONS = frozenset({"CACHE", "EXTENDED_ARG"})
_FAR_ENOUGH = 40
"""Bytes of code in which an instruction and the two after it are found."""


def is_users(frame: FrameType) -> bool:
    """Whether the program asks itself, not the library on its behalf."""
    return frame.f_code.co_filename not in PACKAGE_FILES


def is_loop(frame: FrameType) -> bool:
    """Whether a frame is at the head of a `for`: not at `a, b = x`, `[*x]`, `list(x)` or `[f(y) for y in x]`."""
    here, *after = _instructions(frame)
    return here == "GET_ITER" and after[0] == "FOR_ITER" and not is_inline(frame.f_code)


def is_condition(frame: FrameType) -> bool:
    """Whether a frame is at a condition: not at `bool(x)`, `max(x, y)`, `x in xs`, `assert x` or in a comprehension."""
    here, *after = _instructions(frame)
    asks = here in ("UNARY_NOT", "TO_BOOL") or here.startswith(("POP_JUMP", "JUMP_IF"))
    return asks and "LOAD_ASSERTION_ERROR" not in after and not is_inline(frame.f_code)


def _instructions(frame: FrameType) -> list[str]:
    """The names of the instruction that a frame is at and of the two after it."""
    begin = instruction_of(frame.f_code, frame.f_lasti)
    names = [dis.opname[each] for each in frame.f_code.co_code[begin : begin + _FAR_ENOUGH : 2]]
    return [name for name in names if name not in _NO_INSTRUCTIONS][:3]
