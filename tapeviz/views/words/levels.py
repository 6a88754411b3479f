"""Values of tensors -> histograms, a letter for the height of each bar, and what a box shows of them."""

from __future__ import annotations

import string
from typing import Any

import numpy as np

from tapeviz.events.summary import elements_of
from tapeviz.views.words.numbers import SHOWN_IN_A_ROW, few_elements, written

LEVELS = string.digits + string.ascii_uppercase + string.ascii_lowercase + "-_"
"""The letters, the least first."""
_LETTERS = np.frombuffer(LEVELS.encode("ascii"), np.uint8)
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
    cells = array.reshape(1, -1).astype(np.float64)
    [found] = histograms(cells)
    if found is None and (cells := cells[:, np.isfinite(cells[0])]).size:
        [found] = histograms(cells)
    return found


def histograms(rows: np.ndarray[Any, Any]) -> list[str | None]:
    """Those of the rows of a matrix; None of one with elements that are not finite, or too far apart.

    >>> histograms(np.array([[0.0, 0.0, 0.0, 0.0, 1.0], [2.0] * 5, [np.nan] * 5]))
    ['_00000000000000G', '00000000_0000000', None]
    """
    with np.errstate(all="ignore"):
        least = rows.min(axis=1).astype(np.float64)
        wide = rows.max(axis=1).astype(np.float64) - least
        scales = BINS / wide
    is_known = np.isfinite(wide)
    found: list[str | None] = [None] * len(rows)
    if not is_known.all():
        rows, least, scales = rows[is_known], least[is_known], scales[is_known]
    # All of one value stand in the middle.
    middle = np.where(scales < np.inf, 0, BINS // 2)
    scales = np.where(middle, 0.0, scales)
    bins = ((rows - least[:, np.newaxis]) * scales[:, np.newaxis]).astype(np.intp)
    np.minimum(bins, BINS - 1, out=bins)
    bins += (BINS * np.arange(len(rows)) + middle)[:, np.newaxis]
    counts = np.bincount(bins.reshape(-1), minlength=BINS * len(rows)).reshape(-1, BINS)
    for at, letters in zip(np.flatnonzero(is_known).tolist(), _letters(counts), strict=True):
        found[at] = letters
    return found


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
    [letters] = _letters(bars.reshape(1, -1))
    least, most = (f"{2.0 ** (exponent - BIAS):.3g}" for exponent in (first, first + many * wide))
    return {"above": letters[:many], "below": letters[many:] if bars[1].any() else "", "least": least, "most": most}


def _letters(counts: np.ndarray[Any, Any]) -> list[str]:
    """A letter for the height of each bar, by rows: the highest for the fullest of a row, 0 only for an empty one."""
    heights = -(-counts * (len(LEVELS) - 1) // counts.max(axis=1, keepdims=True))
    letters, width = _LETTERS[heights].tobytes().decode("ascii"), counts.shape[1]
    return [letters[at : at + width] for at in range(0, len(letters), width)]


def strip(value: Any) -> str | None:
    """What a box shows of the numbers of a value: it alone, or a row of few; None of more.

    >>> strip(27.0), strip(np.array([1.0, 0.5])), strip(np.arange(64.0)), strip(None)
    ('27.0', '[1.0, 0.5]', None, None)
    """
    array = elements_of(value)
    if array is None or array.size > SHOWN_IN_A_ROW:
        return None
    few = few_elements(array)
    return few and written(few)
