"""Where a program asks for a tensor's value -> whether AutoGraph makes an op of that piece of Python.

It rewrites `if`, `while`, `for` and calls such as `float(x)`; other Python that looks at values it leaves as it is.
"""

from __future__ import annotations

import dis
from types import FrameType

from tapeviz.events.sites import instruction_of, is_inline

_SPREADING = frozenset({"UNPACK_SEQUENCE", "UNPACK_EX", "LIST_EXTEND"})
_NO_INSTRUCTIONS = frozenset({"CACHE", "EXTENDED_ARG"})
_FAR_ENOUGH = 40
"""Bytes of code in which an instruction and the two after it are found."""


def rewrites(frame: FrameType) -> bool:
    """Whether AutoGraph rewrites what a frame is at: not `a, b = x`, `[*x]`, `[f(y) for y in x]` or `assert x`."""
    code = frame.f_code
    begin = instruction_of(code, frame.f_lasti)
    names = [dis.opname[each] for each in code.co_code[begin : begin + _FAR_ENOUGH : 2]]
    here, *after = [name for name in names if name not in _NO_INSTRUCTIONS][:3]
    if here.startswith("CALL"):
        return True
    if here == "GET_ITER":
        return after[0] == "FOR_ITER" and not is_inline(code)
    return here not in _SPREADING and "LOAD_ASSERTION_ERROR" not in after
