"""One argument of an explored function, as the user gave it -> a control for it, and its value."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ipywidgets
import numpy as np

from tapeviz.engine.specs.dtypes import DIFFERENTIABLE
from tapeviz.views.page.sliders_page import Slider

STEPS = 200
"""Steps of a slider from end to end."""
TYPED_ELEMENTS = 64
"""Arrays of at most so many elements can be typed; larger ones stay as they are."""
WIDE = {"width": "420px", "max_width": "100%"}


@dataclass(frozen=True)
class Input:
    """One argument of an explored function, and the widget to set it by.

    `fixed` is the value of an array that is too large to be typed, None for any other argument. `dtype` is that of an
    array; None: it is a number.
    """

    name: str
    control: ipywidgets.Widget
    fixed: Any = None
    dtype: np.dtype[Any] | None = None

    @property
    def value(self) -> Any:
        """The value for a `Variable`: a float or an array.

        Raises:
            ValueError: what was typed is no array.
        """
        if self.fixed is not None:
            return self.fixed
        if self.is_number:
            return float(self.control.value)
        try:
            return np.asarray(ast.literal_eval(_literal(self.control.value.strip())), self.dtype)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            raise ValueError(
                f"{self.name}: {self.control.value!r} is not an array; type it as [1.0, 2.0] or "
                "[[1.0, 2.0], [3.0, 4.0]]"
            ) from None

    @property
    def is_number(self) -> bool:
        """Whether it is a number, and so has a slider."""
        return self.dtype is None

    def slider(self, stops: int) -> Slider:
        """Its slider with so many stops at equal distances, the nearest to where it stands first."""
        places = np.linspace(self.control.min, self.control.max, stops)
        return Slider(self.name, places.tolist(), int(np.abs(places - self.control.value).argmin()))

    def type(self, text: str) -> None:
        """Set the control to what was typed; a slider reaches as far as it has to.

        Raises:
            ValueError: the text is no number, or the array is too large to be typed.
        """
        if not self.is_number:
            if self.fixed is not None:
                raise ValueError(f"{self.name}: an array of shape {self.fixed.shape} is too large to be typed.")
            self.control.value = text
            return
        try:
            number = float(text)
        except ValueError:
            number = np.nan
        if not np.isfinite(number):
            raise ValueError(f"{self.name}: {text!r} is not a number.")
        self.control.max = max(self.control.max, number)
        self.control.min = min(self.control.min, number)
        self.control.value = number


def input_of(name: str, argument: Any) -> Input:
    """The control for a number, a pair (low, high), or an array.

    Raises:
        TypeError: something else was given.
        ValueError: a pair that is no range.
    """
    if _is_number(argument):
        return _slider(name, *_around(float(argument)), float(argument))
    if isinstance(argument, tuple) and len(argument) == 2 and all(map(_is_number, argument)):
        low, high = map(float, argument)
        if not (np.isfinite([low, high]).all() and low < high):
            raise ValueError(f"{name}: {argument} is not a range: give it as (low, high), low below high.")
        return _slider(name, low, high, (low + high) / 2)
    array = _array(argument)
    if array is None:
        raise TypeError(
            f"{name}: explore takes a number, a pair (low, high) or an array of numbers, not {type(argument).__name__}."
        )
    return _typed(name, array)


def _is_number(argument: Any) -> bool:
    return isinstance(argument, int | float | np.integer | np.floating) and not isinstance(argument, bool)


def _around(number: float) -> tuple[float, float]:
    """A range with a number in its middle, in which it can change its sign."""
    reach = 2 * abs(number) or 1.0
    return number - reach, number + reach


def _slider(name: str, low: float, high: float, value: float) -> Input:
    """The control for a number."""
    slider = ipywidgets.FloatSlider(
        value=value,
        min=low,
        max=high,
        step=(high - low) / STEPS,
        description=name,
        readout_format=".4g",
        layout=WIDE,
        style={"description_width": "initial"},
    )
    return Input(name, slider)


def _array(value: Any) -> np.ndarray[Any, Any] | None:
    """The given array; None if it is none.

    Lists and NumPy's float64, which nobody asked for, become float32 as the sliders are; a tensor keeps its dtype.
    """
    if hasattr(value, "numpy"):
        return np.asarray(value.numpy())
    if isinstance(value, np.ndarray):
        wide = value.dtype == np.float64
        return None if value.dtype.kind not in "iu" + DIFFERENTIABLE else value.astype(np.float32) if wide else value
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
        return None
    try:
        array = np.asarray(value, np.float32)
    except (ValueError, TypeError):
        return None
    return array


def _words(array: np.ndarray[Any, Any]) -> str:
    """An array as one would type it, each number with no more digits than its dtype has."""
    texts = np.array([str(each) for each in array.ravel()], object).reshape(array.shape)
    return str(texts.tolist()).replace("'", "")


def _literal(text: str) -> str:
    """A typed array as a literal of Python, which has no `nan` and `inf`: NumPy reads None as NaN."""
    return re.sub(r"\binf\b", "1e999", re.sub(r"\bnan\b", "None", text))


def _typed(name: str, array: np.ndarray[Any, Any]) -> Input:
    """The control for an array: a line of text, which can be changed if the array is small."""
    small = array.size <= TYPED_ELEMENTS
    words = _words(array) if small else f"array of shape {array.shape}"
    text = ipywidgets.Text(
        value=words,
        description=name,
        disabled=not small,
        continuous_update=False,
        layout=WIDE,
        style={"description_width": "initial"},
    )
    return Input(name, text, None if small else array, array.dtype)
