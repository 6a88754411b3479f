"""NumPy takes a tensor's memory, as in `np.exp(tensor)` -> a call with the tensor.

NumPy asks for the buffer of an eager tensor in C before it looks for any method, so there is no Python attribute to
replace. Instead, the C function that hands out the buffer is replaced in the type's table of functions by one that
reports the tensor, and then calls the old one. Only CPython has this table, and it is left alone if it looks
unexpected.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any
from weakref import WeakMethod

from tensorflow.python.framework.ops import EagerTensor

from tapeviz.recorders.patches import Row, Swapped

POINTER = ctypes.sizeof(ctypes.c_void_p)
TABLE = 20 * POINTER
"""Where in a type its table of buffer functions is named, `tp_as_buffer`; it begins with `bf_getbuffer`."""
GET_BUFFER = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p, ctypes.c_int)
FAILED = -1

_alive: list[Any] = []
"""Functions that C may still call must not die; each recording adds a few, which hold nothing of it once it is over."""


def rows(notice: Callable[[Any], None]) -> list[Row]:
    """The memory of every eager tensor that is handed out: `notice`, a method, is called with the tensor."""
    if sys.implementation.name != "cpython" or _table(int) is not None or _table(bytes) is None:
        return []
    table = _table(EagerTensor)
    entry = ctypes.c_void_p.from_address(table) if table is not None else ctypes.c_void_p()
    before = entry.value
    if before is None:
        return []
    noticing = WeakMethod(notice)

    def telling(address: int) -> int | None:
        hand_out = GET_BUFFER(address)

        def get_buffer(tensor: Any, view: Any, flags: int) -> int:
            if (note := noticing()) is not None:
                note(tensor)
            try:
                return int(hand_out(tensor, view, flags))
            except Exception:  # a dtype that a buffer cannot hold: NumPy goes on to ask for an array
                return FAILED

        hooked = GET_BUFFER(get_buffer)
        _alive.append(hooked)
        return ctypes.cast(hooked, ctypes.c_void_p).value

    def put(address: int | None) -> None:
        entry.value = address

    return [Swapped(rows, before, put, lambda: put(before), telling)]


def _table(kind: type) -> int | None:
    return ctypes.c_void_p.from_address(id(kind) + TABLE).value
