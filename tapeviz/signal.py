"""`tf.signal`: Fourier transforms."""

from tapeviz.engine.api import exports, missing

globals().update(exports("signal"))
__all__ = sorted(exports("signal"))
__getattr__ = missing("tapeviz.signal")
