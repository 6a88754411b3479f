"""`tf.keras.config`: Keras' defaults, such as the dtype of floats."""

from __future__ import annotations

from tapeviz.engine.api import missing
from tapeviz.keras.backend.session import backend, epsilon, image_data_format
from tapeviz.keras.floats import floatx, set_floatx

__all__ = ["backend", "epsilon", "floatx", "image_data_format", "set_floatx"]
__getattr__ = missing("tapeviz.keras.config")
