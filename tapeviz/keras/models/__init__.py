"""`tf.keras.models`: models made of layers."""

from tapeviz.keras import naming
from tapeviz.keras.models.model import Model, Sequential

__all__ = ["Model", "Sequential"]
__getattr__ = naming.absent("tapeviz.keras.models", __all__)
