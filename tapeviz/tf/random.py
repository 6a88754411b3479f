"""`tf.random`: random tensors and the seed."""

from tapeviz.engine.functions.exports import exports
from tapeviz.tf.names import missing, namespace

globals().update(exports("random"))
experimental = namespace(f"{__name__}.experimental", **exports("random.experimental"))
__all__ = sorted([*exports("random"), "experimental"])
__getattr__ = missing(__name__)
