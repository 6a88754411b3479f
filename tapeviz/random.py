"""`tf.random`: random tensors and the seed."""

from tapeviz.engine.api import exports, missing, namespace

globals().update(exports("random"))
experimental = namespace("tapeviz.random.experimental", **exports("random.experimental"))
__all__ = sorted([*exports("random"), "experimental"])
__getattr__ = missing("tapeviz.random")
