"""What stands for the gradient of a source to which no path leads."""

from __future__ import annotations

from enum import Enum
from typing import Any


class UnconnectedGradients(Enum):
    """What stands for the gradient of a source that no path leads to (`tf.UnconnectedGradients`)."""

    NONE = "none"
    ZERO = "zero"


_NONE = UnconnectedGradients.NONE


def is_zero(value: Any) -> bool:
    """Whether zeros stand for a source that no path leads to.

    Raises:
        ValueError: an unknown `unconnected_gradients`.
    """
    if value is _NONE:  # looked up in the class it takes longer
        return False
    try:
        return UnconnectedGradients(value) is UnconnectedGradients.ZERO
    except ValueError:
        raise ValueError(f'Unknown value for unconnected_gradients: {value!r}. Use "none" or "zero".') from None
