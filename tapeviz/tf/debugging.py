"""`tf.debugging`: assertions on tensors."""

from tapeviz.engine.functions.exports import exports
from tapeviz.tf.names import missing

globals().update(exports("debugging"))
__all__ = sorted(exports("debugging"))
__getattr__ = missing(__name__)
