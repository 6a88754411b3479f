"""`tf.random`: random tensors and the seed."""

from tapeviz.engine.api import exports, missing

globals().update(exports("random"))
__all__ = sorted(exports("random"))
__getattr__ = missing("random")
