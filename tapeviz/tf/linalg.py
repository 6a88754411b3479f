"""`tf.linalg`: matrices."""

from tapeviz.engine.functions.exports import exports
from tapeviz.tf.names import missing

globals().update(exports("linalg"))
__all__ = sorted(exports("linalg"))
__getattr__ = missing(__name__)
