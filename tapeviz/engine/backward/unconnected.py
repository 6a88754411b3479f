"""What the gradient of a source is to which no path leads: None, or zeros."""

from __future__ import annotations

from enum import Enum


class UnconnectedGradients(Enum):
    """What the gradient of a source is to which no path leads (`tf.UnconnectedGradients`)."""

    NONE = "none"
    ZERO = "zero"


_NONE = UnconnectedGradients.NONE


def is_zero(value: object) -> bool:
    """Whether the gradient of such a source is zeros.

    Raises:
        ValueError: an unknown `unconnected_gradients`.
    """
    if value is _NONE:  # looked up in the class it takes longer
        return False
    try:
        return UnconnectedGradients(value) is UnconnectedGradients.ZERO
    except ValueError:
        raise ValueError(f'Unknown value for unconnected_gradients: {value!r}. Use "none" or "zero".') from None
