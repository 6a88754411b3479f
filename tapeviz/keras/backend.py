"""`tf.keras.backend`: the names that are counted, and what Keras takes for granted."""

from __future__ import annotations

from tapeviz.keras import floats, naming
from tapeviz.keras.floats import floatx, set_floatx
from tapeviz.keras.losses.functions import EPSILON


def clear_session(free_memory: bool = True) -> None:
    """Count the names of layers anew, so that the next `Dense` is called `dense`, and let layers go by `floatx` anew.

    >>> clear_session()
    """
    naming.forget()
    floats.forget()


def epsilon() -> float:
    """How far probabilities are kept from 0 and 1.

    >>> epsilon()
    1e-07
    """
    return EPSILON


__all__ = ["clear_session", "epsilon", "floatx", "set_floatx"]
__getattr__ = naming.absent("tapeviz.keras.backend", __all__)
