"""`tf.keras`, as far as tutorials go: layers, models, losses, metrics, optimizers, in Keras 3's behaviour."""

from tapeviz.keras import (
    activations,
    backend,
    constraints,
    initializers,
    layers,
    losses,
    metrics,
    models,
    naming,
    optimizers,
    regularizers,
    utils,
)
from tapeviz.keras.layers import Input, Layer
from tapeviz.keras.models import Model, Sequential
from tapeviz.keras.variable import Variable

__all__ = [
    "Input",
    "Layer",
    "Model",
    "Sequential",
    "Variable",
    "activations",
    "backend",
    "constraints",
    "initializers",
    "layers",
    "losses",
    "metrics",
    "models",
    "optimizers",
    "regularizers",
    "utils",
]
__getattr__ = naming.absent("tapeviz.keras", __all__)
