"""`tf.keras.backend`, as far as Keras 3 has it: Keras' defaults, and the counts of names."""

from __future__ import annotations

from tapeviz.tf.keras import floats, naming
from tapeviz.tf.keras.floats import EPSILON, floatx, set_floatx
from tapeviz.tf.names import missing
from tapeviz.tf.random_state import Seeds

__all__ = ["backend", "clear_session", "epsilon", "floatx", "image_data_format", "set_floatx"]
__getattr__ = missing(__name__)


def clear_session(free_memory: bool = True) -> None:
    """Restart the counts in the names of layers, so that the next `Dense` is called `dense`.

    Random ops start again as well, and the next layer reads `floatx` again.

    Args:
        free_memory: ignored.

    >>> clear_session()
    """
    naming.forget()
    floats.forget()
    Seeds.begin_anew()


def epsilon() -> float:
    """The small number that keeps probabilities away from 0 and 1.

    >>> epsilon()
    1e-07
    """
    return EPSILON


def backend() -> str:
    """The name of the framework that Keras runs on. Tapeviz behaves like TensorFlow.

    >>> backend()
    'tensorflow'
    """
    return "tensorflow"


def image_data_format() -> str:
    """The default data format of images.

    >>> image_data_format()
    'channels_last'
    """
    return "channels_last"
