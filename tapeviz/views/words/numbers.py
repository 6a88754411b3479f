"""Values of tensors -> text, as every view shows them."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Any

import numpy as np

from tapeviz.events.summary import Summary, elements_of, norm, summary_of

SHOWN_ELEMENTS = 64
SHOWN_IN_A_ROW = 4
NOT_KEPT = "not kept"
"""The text in place of a value that the log does not have."""
_NOT_A_NUMBER = re.compile("nan", re.IGNORECASE)
_NEGATIVE = re.compile(r"(?<![\w.)\]])-(?=[\d.]|inf)")
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


def written(text: str) -> str:
    """A text whose negative numbers have a minus sign, as one writes them, where it is looked at and not copied.

    >>> written("[-1.5, 2.0] x-1 1e-09")
    '[−1.5, 2.0] x-1 1e-09'
    """
    return _NEGATIVE.sub("\N{MINUS SIGN}", text) if "-" in text else text  # in most there is none


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
        return NOT_KEPT
    if isinstance(value, Summary):
        return f"norm {number(value.norm)}"
    array = np.asarray(value)
    if array.ndim == 0:
        return number(array[()])
    return few_elements(array) or f"norm {number(Summary.of(array).norm)}"


def few_elements(array: np.ndarray[Any, Any]) -> str | None:
    """All elements on one line, nested as in Python; None if they are not few, or take too many characters.

    >>> few_elements(np.array([[1.0], [0.5]])), few_elements(np.zeros(9))
    ('[[1.0], [0.5]]', None)
    """
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
    left out that are 0, and sizes with four digits; None for a scalar, which needs none, and for an unknown value.

    >>> statistics(np.array([3.0, 4.0])), statistics(np.array([0.0, 3.0, np.inf])), statistics(2.0)
    ('3,4,3.5,5.0', '0,3,1.5,3.0,1,,1', None)
    """
    summary = None if np.shape(value) == () else summary_of(value)
    if summary is None:
        return None
    sizes = f"{summary.min:.4g},{summary.max:.4g},{summary.mean:.4g},{number(summary.norm)}"
    counts = f"{summary.zeros or ''},{summary.nans or ''},{summary.infs or ''}"
    return f"{_NOT_A_NUMBER.sub('', sizes)},{counts}".rstrip(",")


def norm_alone(value: Any) -> str | None:
    """As `statistics`, but the norm alone where all elements are finite; in a fraction of the time.

    >>> norm_alone(np.array([3.0, 4.0])), norm_alone(2.0)
    (',,,5.0', None)
    """
    array = elements_of(value)
    is_of_floats = array is not None and array.ndim > 0 and array.dtype.kind in "fc"
    return (just_norm(norm(array)) if is_of_floats else None) or statistics(value)


def just_norm(length: float) -> str | None:
    """As `statistics`, but this norm alone; None where it is zero or not finite, so that more has to be said."""
    return f",,,{number(length)}" if 0 < length < math.inf else None


@lru_cache
def shape_text(shape: tuple[int, ...]) -> str:
    """A shape as Python writes it.

    >>> shape_text(()), shape_text((3,)), shape_text((2, 3))
    ('()', '(3,)', '(2, 3)')
    """
    return str(tuple(shape))


def bytes_text(count: float) -> str:
    """A number of bytes in the unit that suits it; a half is rounded up, as the front end's twin in `words/numbers.js`
    does.

    >>> bytes_text(12), bytes_text(1_280), bytes_text(3 << 20)
    ('12 B', '1.3 KiB', '3.0 MiB')
    """
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            break
        count /= 1024
    return f"{math.floor(count + 0.5)} B" if unit == "B" else f"{math.floor(10 * count + 0.5) / 10:.1f} {unit}"


def _moderate(array: np.ndarray[Any, Any]) -> bool:
    """Whether every element is readable without an exponent."""
    if array.dtype.kind != "f":
        return True
    sizes = np.abs(array[np.isfinite(array) & (array != 0)])
    return not sizes.size or bool(float(sizes.min()) >= 1e-3 and float(sizes.max()) < 1e6)
