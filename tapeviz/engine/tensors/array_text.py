"""Arrays -> their texts in `str` and `repr` of a tensor, and the result of `numpy()`."""

from __future__ import annotations

from typing import Any

import numpy as np


def array_text(value: Any) -> str:
    """An array as `str` of a tensor shows it; matrices begin on a line of their own."""
    text = repr(value.item()) if value.dtype.kind == "O" and not value.shape else str(value)
    return f"\n{text}" if "\n" in text else text


def array_repr(value: Any) -> str:
    """An array as `repr` of a tensor shows it."""
    if value.shape == ():
        return repr(value.item())
    text = repr(value)
    return f"\n{text}" if "\n" in text else text


def plain(value: Any) -> Any:
    """The string in a scalar array of strings; anything else as it is."""
    return value.item() if value.dtype.kind == "O" and value.shape == () else value


def copied(value: Any) -> Any:
    """A copy that the program may write into; of a scalar array of strings, the string."""
    if value.dtype.kind == "O" and not value.shape:
        return value.item()
    return value.copy() if isinstance(value, np.ndarray) else value
