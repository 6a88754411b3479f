"""`tf.nn`: activations, losses and normalisation."""

from tapeviz.engine.api import exports, missing

globals().update(exports("nn"))
__all__ = sorted(exports("nn"))
__getattr__ = missing("tapeviz.nn")
