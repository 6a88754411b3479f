"""Arrays -> the text by which a tensor shows them, and what `numpy()` gives of them."""

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
    """A text for an array of one; all else stays."""
    return value.item() if value.dtype.kind == "O" and value.shape == () else value


def copied(value: Any) -> Any:
    """What the program may write into; of a single text, the text."""
    if value.dtype.kind == "O" and not value.shape:
        return value.item()
    return value.copy() if isinstance(value, np.ndarray) else value
