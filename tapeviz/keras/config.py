"""`tf.keras.config`: what Keras takes for granted, under its newer name."""

from __future__ import annotations

from tapeviz.keras import naming
from tapeviz.keras.backend import epsilon
from tapeviz.keras.floats import floatx, set_floatx

__all__ = ["epsilon", "floatx", "set_floatx"]
__getattr__ = naming.absent("tapeviz.keras.config", __all__)
