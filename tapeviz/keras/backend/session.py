"""Counters of names, and Keras' defaults."""

from __future__ import annotations

from tapeviz.engine.random import Seeds
from tapeviz.keras import floats, naming
from tapeviz.keras.floats import EPSILON


def clear_session(free_memory: bool = True) -> None:
    """Count the names of layers anew, so that the next `Dense` is called `dense`, and let layers go by `floatx` anew.

    Random ops begin anew, too.

    >>> clear_session()
    """
    naming.forget()
    floats.forget()
    Seeds.begin_anew()


def epsilon() -> float:
    """How far probabilities are kept from 0 and 1.

    >>> epsilon()
    1e-07
    """
    return EPSILON


def backend() -> str:
    """What Keras computes with: it behaves as on TensorFlow.

    >>> backend()
    'tensorflow'
    """
    return "tensorflow"


def image_data_format() -> str:
    """Where the channels of an image stand.

    >>> image_data_format()
    'channels_last'
    """
    return "channels_last"
