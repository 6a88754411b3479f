"""`tf.nn`: activations, losses and normalisation."""

from tapeviz.engine.api import exports, missing, namespace

globals().update(exports("nn"))
experimental = namespace("tapeviz.nn.experimental", **exports("nn.experimental"))
__all__ = sorted([*exports("nn"), "experimental"])
__getattr__ = missing("tapeviz.nn")
