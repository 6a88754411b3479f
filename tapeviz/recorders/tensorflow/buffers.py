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
from functools import cache
from typing import Any

from tensorflow.python.framework.ops import EagerTensor

from tapeviz.recorders.patches import Row, Swapped

POINTER = ctypes.sizeof(ctypes.c_void_p)
TABLE = 20 * POINTER
"""Where in a type its table of buffer functions is named, `tp_as_buffer`; it begins with `bf_getbuffer`."""
GET_BUFFER = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p, ctypes.c_int)
FAILED = -1

Notice = Callable[[Any], None]

_notices: tuple[Notice, ...] = ()
"""What the recordings that are open do with a tensor whose memory is handed out."""


def rows(notice: Notice) -> list[Row]:
    """The memory of every eager tensor that is handed out: `notice` is called with the tensor."""
    found = _hook()
    if found is None:
        return []
    entry, before, hooked = found

    def put(notices: tuple[Notice, ...]) -> None:
        global _notices
        _notices = notices
        entry.value = hooked if notices else before

    return [Swapped(rows, (), put, lambda: put(()), lambda others: (*others, notice))]


@cache
def _hook() -> tuple[ctypes.c_void_p, int, int | None] | None:
    """The entry of the table, the address that it holds, and that of a function which tells of buffers as well.

    There is one for all recordings, since C may call it at any time, so that it must not be deleted.
    """
    if sys.implementation.name != "cpython" or _table(int) is not None or _table(bytes) is None:
        return None
    table = _table(EagerTensor)
    entry = ctypes.c_void_p.from_address(table) if table is not None else ctypes.c_void_p()
    before = entry.value
    return None if before is None else (entry, before, ctypes.cast(_telling(before), ctypes.c_void_p).value)


@cache
def _telling(address: int) -> Any:
    """A function that hands out a buffer as that at an address does, and tells of it."""
    hand_out = GET_BUFFER(address)

    def get_buffer(tensor: Any, view: Any, flags: int) -> int:
        for notice in _notices:
            notice(tensor)
        try:
            return int(hand_out(tensor, view, flags))
        except Exception:  # a dtype that a buffer cannot hold: NumPy goes on to ask for an array
            return FAILED

    return GET_BUFFER(get_buffer)


def _table(kind: type) -> int | None:
    return ctypes.c_void_p.from_address(id(kind) + TABLE).value
