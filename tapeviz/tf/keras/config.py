"""`tf.keras.config`: Keras' defaults, such as the dtype of floats."""

from __future__ import annotations

from tapeviz.tf.keras.backend import backend, epsilon, image_data_format
from tapeviz.tf.keras.floats import floatx, set_floatx
from tapeviz.tf.names import missing

__all__ = ["backend", "epsilon", "floatx", "image_data_format", "set_floatx"]
__getattr__ = missing(__name__)
