"""`tf.keras.models`: models made of layers."""

from tapeviz.engine.api import missing
from tapeviz.keras.models.cloning import clone_model
from tapeviz.keras.models.model import Model, Sequential

__all__ = ["Model", "Sequential", "clone_model"]
__getattr__ = missing("tapeviz.keras.models")
