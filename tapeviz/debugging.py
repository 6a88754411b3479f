"""`tf.debugging`: assertions on tensors."""

from tapeviz.engine.api import exports, missing

globals().update(exports("debugging"))
__all__ = sorted(exports("debugging"))
__getattr__ = missing("tapeviz.debugging")
