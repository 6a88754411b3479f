"""The C library's functions of one number, which TensorFlow's kernels call for numbers that fill no register.

Where the process has no such library, NumPy's functions stand in, whose last digit may differ.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

try:
    import ctypes
except ImportError:  # as where Python runs in a browser
    ctypes = None  # type: ignore[assignment]

_TYPES = {"f": "c_float", "d": "c_double"}
_SUFFIXES = {"f": "f", "d": ""}


@cache
def _library() -> Any:
    """The functions of the process itself, among which those of the C library are on Linux and macOS."""
    try:
        return ctypes and ctypes.CDLL(None)
    except (OSError, TypeError):  # as Windows says
        return None


def of_one(name: str, otherwise: Callable[..., Any], arguments: int = 1) -> dict[str, Callable[..., float]]:
    """The C library's function of this name, of one number, or one of each argument, by `dtype.char`.

    Where it has no result, it gives NaN.

    >>> import numpy as np
    >>> of_one("exp", np.exp)["d"](0.0)
    1.0
    """
    return {
        char: _found(name + _SUFFIXES[char], c_type, arguments) or _standing_in(otherwise, char)
        for char, c_type in _TYPES.items()
    }


def _found(name: str, c_type: str, arguments: int) -> Callable[..., float] | None:
    function = getattr(_library(), name, None)
    if function is not None:
        function.restype = getattr(ctypes, c_type)
        function.argtypes = [function.restype] * arguments
    return function


def _standing_in(otherwise: Callable[..., Any], char: str) -> Callable[..., float]:
    return lambda *numbers: float(otherwise(*map(np.dtype(char).type, numbers)))
