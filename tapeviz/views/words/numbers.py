"""Values of tensors -> text, heat maps and JSON numbers, as every view shows them."""

from __future__ import annotations

import math
import re
import string
from functools import lru_cache
from typing import Any

import numpy as np

from tapeviz.events.summary import Summary, elements_of, norm, summary_of

SHOWN_ELEMENTS = 64
GRID_SIDES = (32, 16, 8)
LEVELS = string.digits + string.ascii_uppercase + string.ascii_lowercase + "-_"
"""The letters of a heat map and of a histogram, the least first."""
BINS = 16
SHOWN_IN_A_ROW = 4
SHORT = {6: 24, 3: 44}
"""The digits of the elements of a row -> the most characters that the row may then take."""


def number(value: Any) -> str:
    """One number, with at most six digits; a float keeps its point.

    >>> number(np.float32(0.1)), number(27.0), number(3), number(float("-inf")), number(1 / 3)
    ('0.1', '27.0', '3', '-inf', '0.333333')
    """
    if isinstance(value, (float, np.floating)):  # the commonest, so it comes first
        text = f"{float(value):.6g}"
        return f"{text}.0" if text.lstrip("-").isdigit() else "NaN" if text == "nan" else text
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (complex, np.complexfloating)):
        return f"{value:.6g}"
    return str(value)


def rounded(value: float, digits: int) -> str:
    """A float rounded to so many digits, where six are too many to read.

    >>> rounded(0.12345, 3), rounded(1e-9, 3), rounded(27.0, 3)
    ('0.123', '1e-09', '27.0')
    """
    return number(float(f"{value:.{digits}g}"))


def is_scalar(value: Any) -> bool:
    """Whether a value is a single real number."""
    array = elements_of(value)
    return array is not None and array.ndim == 0 and np.isrealobj(array)


def factor(value: Any) -> str:
    """A number as it stands in a formula: in parentheses where it is negative or has an exponent.

    >>> factor(2.0), factor(-0.5), factor(1e-9)
    ('2.0', '(-0.5)', '(1e-09)')
    """
    text = number(np.asarray(value)[()])
    return f"({text})" if re.search(r"^-|\de", text) else text


def value_text(value: Any, room: int = 1 << 20) -> str | None:
    """The elements of a small value, over several lines for a matrix; None for an unknown one, and for one that is
    large or, but for a scalar, takes more than `room` characters."""
    array = elements_of(value)
    if array is None or array.size > SHOWN_ELEMENTS:
        return None
    if array.ndim == 0:
        return number(array[()])
    if 2 * array.size > room:
        return None
    with np.printoptions(precision=4, suppress=bool(_moderate(array)), linewidth=72, nanstr="NaN"):
        text = str(array)
    return text if len(text) <= room else None


def short_text(value: Any) -> str:
    """One line about any value: the number, a few numbers, or the norm of a larger value.

    >>> short_text(np.float32(2)), short_text(np.array([[1.0], [0.5]])), short_text(np.full((3, 4), 2.0))
    ('2.0', '[[1.0], [0.5]]', 'norm 6.9282')
    >>> short_text(None)
    'not kept'
    """
    if value is None:
        return "not kept"
    if isinstance(value, Summary):
        return f"norm {number(value.norm)}"
    array = np.asarray(value)
    if array.ndim == 0:
        return number(array[()])
    return _few(array) or f"norm {number(Summary.of(array).norm)}"


def _few(array: np.ndarray[Any, Any]) -> str | None:
    """All elements on one line, nested as in Python; None if they are not few, or take too many characters."""
    if array.size > SHOWN_IN_A_ROW:
        return None
    rows = ((_row(array.tolist(), digits), most) for digits, most in SHORT.items())
    return next((row for row, most in rows if len(row) <= most), None)


def _row(elements: Any, digits: int) -> str:
    if not isinstance(elements, list):
        return rounded(elements, digits) if isinstance(elements, float) else number(elements)
    return f"[{', '.join([_row(each, digits) for each in elements])}]"


def statistics(value: Any) -> str | None:
    """Least, greatest, mean, norm, zeros, NaN and infinite elements of a value, with commas between, those at the end
    left out that are 0; None for a scalar, which needs none, and for an unknown value.

    >>> statistics(np.array([3.0, 4.0])), statistics(np.array([0.0, 3.0, np.inf])), statistics(2.0)
    ('3,4,3.5,5.0', '0,3,1.5,3.0,1,,1', None)
    """
    summary = None if np.shape(value) == () else summary_of(value)
    if summary is None:
        return None
    told = [_digits(getattr(summary, name)) for name in ("min", "max", "mean")]
    told.append("" if math.isnan(summary.norm) else number(summary.norm))
    told += [str(count) if count else "" for count in (summary.zeros, summary.nans, summary.infs)]
    return ",".join(told).rstrip(",")


def norm_alone(value: Any) -> str | None:
    """As `statistics`, but the norm alone where all elements are finite; in a fraction of the time.

    >>> norm_alone(np.array([3.0, 4.0])), norm_alone(2.0)
    (',,,5.0', None)
    """
    array = elements_of(value)
    if array is None or array.ndim == 0 or array.dtype.kind not in "fc":
        return statistics(value)
    length = norm(array)
    return f",,,{number(length)}" if 0 < length < math.inf else statistics(value)


def _digits(value: float) -> str:
    """Four digits, which are enough for statistics."""
    return "" if math.isnan(value) else f"{value:.4g}"


def grid(value: Any, room: int = GRID_SIDES[0] ** 2) -> dict[str, Any] | None:
    """A small heat map of a vector or matrix, of at most `room` cells: one letter per cell, from LEVELS; a space where
    it is not finite.

    >>> grid(np.array([[0.0, 1.0], [np.nan, 0.5]]))
    {'rows': 2, 'cols': 2, 'levels': '0_ W'}
    """
    array = elements_of(value)
    if array is None or room < 2 or array.ndim not in (1, 2) or array.size < 2 or array.dtype.kind not in "biuf":
        return None
    array = np.atleast_2d(array)
    sampled = (array[:: _stride(array.shape[0], side), :: _stride(array.shape[1], side)] for side in GRID_SIDES)
    small = next((each for each in sampled if each.size <= room), None)
    return None if small is None else {"rows": small.shape[0], "cols": small.shape[1], "levels": _levels(small)}


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
    levels = -(-counts * (len(LEVELS) - 1) // counts.max())
    return "".join(LEVELS[level] for level in levels.tolist())


def strip(value: Any, spread: bool = True) -> str | None:
    """What a box shows of a value: a number, or a row of few; else, after a colon, its histogram if `spread`.

    >>> strip(27.0), strip(np.array([1.0, 0.5])), strip(np.arange(64.0)), strip(None)
    ('27.0', '[1.0, 0.5]', ':________________', None)
    """
    array = elements_of(value)
    if array is None:
        return None
    if array.size <= SHOWN_IN_A_ROW:
        return _few(array)
    letters = histogram(value) if spread else None
    return f":{letters}" if letters else None


def _stride(length: int, side: int) -> int:
    return max(1, math.ceil(length / side))


def _levels(array: np.ndarray[Any, Any]) -> str:
    cells = array.astype(np.float64)
    finite = np.isfinite(cells)
    low, high = (cells[finite].min(), cells[finite].max()) if finite.any() else (0.0, 0.0)
    scale = (len(LEVELS) - 1) / (high - low) if high > low else 0.0
    levels = np.where(finite, np.rint((np.where(finite, cells, low) - low) * scale), -1).astype(int)
    return "".join(LEVELS[level] if level >= 0 else " " for level in levels.flat)


@lru_cache
def shape_text(shape: tuple[int, ...]) -> str:
    """A shape as Python writes it.

    >>> shape_text(()), shape_text((3,)), shape_text((2, 3))
    ('()', '(3,)', '(2, 3)')
    """
    return str(tuple(shape))


def bytes_text(count: float) -> str:
    """A number of bytes in the unit that suits it.

    >>> bytes_text(12), bytes_text(40_000), bytes_text(3 << 20)
    ('12 B', '39.1 KiB', '3.0 MiB')
    """
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            break
        count /= 1024
    return f"{count:.0f} B" if unit == "B" else f"{count:.1f} {unit}"


def _moderate(array: np.ndarray[Any, Any]) -> bool:
    """Whether every element is readable without an exponent."""
    if array.dtype.kind != "f":
        return True
    sizes = np.abs(array[np.isfinite(array) & (array != 0)])
    return not sizes.size or bool(float(sizes.min()) >= 1e-3 and float(sizes.max()) < 1e6)
