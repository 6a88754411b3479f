"""`tf.math`: elementwise functions, reductions and the rest of arithmetic."""

from tapeviz.engine.api import exports, missing

globals().update(exports("math"))
__all__ = sorted(exports("math"))
__getattr__ = missing("tapeviz.math")
