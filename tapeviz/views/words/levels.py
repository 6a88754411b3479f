"""Values of tensors -> histograms, a letter for the height of each bar, and what a box shows of them."""

from __future__ import annotations

import math
import string
from typing import Any

import numpy as np

from tapeviz.events.summary import elements_of
from tapeviz.views.words.numbers import SHOWN_IN_A_ROW, few_elements, written

LEVELS = string.digits + string.ascii_uppercase + string.ascii_lowercase + "-_"
"""The letters, the least first."""
BINS = 16
EXPONENTS, BIAS = 1 << 8, 127
"""Of float32: how many there are, and the one of 1."""


def histogram(value: Any) -> str | None:
    """How the finite elements of a value spread from the least to the greatest, in BINS bins: a letter each, from
    LEVELS, the highest for the fullest bin; 0 only for an empty one. None for what is small, unknown or complex.

    >>> histogram(np.array([0.0, 0.0, 0.0, 0.0, 1.0, np.nan]))
    '_00000000000000G'
    """
    array = elements_of(value)
    if array is None or array.size <= SHOWN_IN_A_ROW or array.dtype.kind not in "biuf":
        return None
    cells = array.ravel().astype(np.float64)
    low, high = float(cells.min()), float(cells.max())
    if not math.isfinite(high - low):
        cells = cells[np.isfinite(cells)]
        low, high = (float(cells.min()), float(cells.max())) if cells.size else (0.0, 0.0)
    if not math.isfinite(high - low) or not cells.size:
        return None
    scale = BINS / (high - low) if high > low else math.inf
    # All of one value stand in the middle.
    bins = ((cells - low) * scale).astype(np.intp) if scale < math.inf else np.full(cells.size, BINS // 2)
    counts = np.bincount(np.minimum(bins, BINS - 1), minlength=BINS)
    return _letters(counts)


def spread(value: Any) -> dict[str, str] | None:
    """How the sizes of the elements of a value spread: a bar for each power of two, or for several, of the elements
    above zero, and of those below, if there are any; zeros, NaN and infinite ones are in none.

    The letters are those of `histogram`. None where that is, where there is no other element, or float32 is too narrow.

    >>> spread(np.array([0.0, 0.25, 0.3, 1.0, 1.5, -1.0]))
    {'above': '_0_', 'below': '00W', 'least': '0.25', 'most': '2'}
    """
    array = elements_of(value)
    if array is None or array.size <= SHOWN_IN_A_ROW or array.dtype.kind not in "biuf":
        return None
    with np.errstate(over="ignore", under="ignore"):
        floats = array.astype(np.float32).reshape(-1)
    bits = floats.view(np.uint32) >> 23  # a sign, and eight bits of the exponent
    counts = np.bincount(bits.astype(np.intp), minlength=2 * EXPONENTS).reshape(2, EXPONENTS)
    counts[:, 0] = 0  # zeros, and what is all but zero
    infinite, counts[:, -1] = counts[:, -1].sum(), 0
    if infinite > array.size - np.isfinite(array).sum() or not counts.any():
        return None
    first, *_, last = np.flatnonzero(counts.any(axis=0)).tolist() * 2
    wide = -(-(last + 1 - first) // BINS)
    many = -(-(last + 1 - first) // wide)
    here = counts[:, first : first + many * wide]
    bars = np.pad(here, ((0, 0), (0, many * wide - here.shape[1]))).reshape(2, many, wide).sum(axis=2)
    letters = _letters(bars.reshape(-1))
    least, most = (f"{2.0 ** (exponent - BIAS):.3g}" for exponent in (first, first + many * wide))
    return {"above": letters[:many], "below": letters[many:] if bars[1].any() else "", "least": least, "most": most}


def _letters(counts: np.ndarray[Any, Any]) -> str:
    """A letter for the height of each bar: the highest for the fullest, 0 only for an empty one."""
    heights = counts.tolist()
    most, fullest = len(LEVELS) - 1, max(heights)
    return "".join([LEVELS[-(-each * most // fullest)] for each in heights])


def strip(value: Any, spread: bool = True) -> str | None:
    """What a box shows of a value: a number, or a row of few; else, after a colon, its histogram if `spread`.

    >>> strip(27.0), strip(np.array([1.0, 0.5])), strip(np.arange(64.0)), strip(None)
    ('27.0', '[1.0, 0.5]', ':________________', None)
    """
    array = elements_of(value)
    if array is None:
        return None
    if array.size <= SHOWN_IN_A_ROW:
        few = few_elements(array)
        return few and written(few)
    letters = histogram(value) if spread else None
    return f":{letters}" if letters else None
