"""Values in tuples, however nested, as gradients and what was saved for them come -> a function of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def mapped(function: Callable[[Any], Any], value: object) -> Any:
    """The results of a function for each value, in the same tuples.

    >>> mapped(abs, (-1, (-2, -3)))
    (1, (2, 3))
    """
    return tuple([mapped(function, each) for each in value]) if type(value) is tuple else function(value)
