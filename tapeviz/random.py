"""`tf.random`: random tensors and the seed."""

from types import SimpleNamespace

from tapeviz.engine.api import exports, missing

globals().update(exports("random"))
experimental = SimpleNamespace(**exports("random.experimental"))
__all__ = sorted([*exports("random"), "experimental"])
__getattr__ = missing("tapeviz.random")
