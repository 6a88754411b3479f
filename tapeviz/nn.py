"""`tf.nn`: activations, losses and normalisation."""

from types import SimpleNamespace

from tapeviz.engine.api import exports, missing

globals().update(exports("nn"))
experimental = SimpleNamespace(**exports("nn.experimental"))
__all__ = sorted([*exports("nn"), "experimental"])
__getattr__ = missing("tapeviz.nn")
