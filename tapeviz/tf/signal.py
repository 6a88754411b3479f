"""`tf.signal`: Fourier transforms."""

from tapeviz.engine.functions.exports import exports
from tapeviz.tf.names import missing

globals().update(exports("signal"))
__all__ = sorted(exports("signal"))
__getattr__ = missing(__name__)
