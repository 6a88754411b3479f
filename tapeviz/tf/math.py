"""`tf.math`: elementwise functions, reductions and the rest of arithmetic."""

from tapeviz.engine.functions.exports import exports
from tapeviz.tf.names import missing

globals().update(exports("math"))
__all__ = sorted(exports("math"))
__getattr__ = missing(__name__)
