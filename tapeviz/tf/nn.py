"""`tf.nn`: activations, losses and normalisation."""

from tapeviz.engine.functions.exports import exports
from tapeviz.tf.names import missing, namespace

globals().update(exports("nn"))
experimental = namespace(f"{__name__}.experimental", **exports("nn.experimental"))
__all__ = sorted([*exports("nn"), "experimental"])
__getattr__ = missing(__name__)
