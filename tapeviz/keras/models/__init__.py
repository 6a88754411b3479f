"""`tf.keras.models`: models made of layers."""

from tapeviz.keras import naming
from tapeviz.keras.models.cloning import clone_model
from tapeviz.keras.models.model import Model, Sequential

__all__ = ["Model", "Sequential", "clone_model"]
__getattr__ = naming.absent("tapeviz.keras.models", __all__)
