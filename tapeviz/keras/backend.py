"""`tf.keras.backend`: the names that are counted."""

from __future__ import annotations

from tapeviz.keras import naming
from tapeviz.keras.losses.functions import EPSILON


def clear_session(free_memory: bool = True) -> None:
    """Count the names of layers anew, so that the next `Dense` is called `dense`.

    >>> clear_session()
    """
    naming.forget()


def epsilon() -> float:
    """How far probabilities are kept from 0 and 1.

    >>> epsilon()
    1e-07
    """
    return EPSILON


__all__ = ["clear_session", "epsilon"]
__getattr__ = naming.absent("tapeviz.keras.backend", __all__)
