"""`tf.keras`, as far as tutorials go: layers, models, losses, metrics, optimizers, in Keras 3's behaviour.

- layers       `layers/`; `variable`, their weights, with `initializers/`, `regularizers` and `constraints`;
               `activations/`; `masks`; `call_signature`, what a `call` takes, and the `training_phase` among it;
               `symbolic/`, their calls on placeholders
- training     `models/`, `losses/`, `metrics/`, `optimizers/`, `callbacks/`; `unit_vectors`
- names        `naming`; `scopes`, in logs; `serialization`, how each thing was made; the `registry` of a package's
               names, and what the user has `registered`
- settings     `config` and `backend`, with `floats`, and the `dtype_policy` of a layer; `seeds` and the
               `seed_generator` of a layer
- beside them  `utils` and `preprocessing/`, of data
"""

from tapeviz.tf.keras import (
    activations,
    backend,
    callbacks,
    config,
    constraints,
    initializers,
    layers,
    losses,
    metrics,
    models,
    optimizers,
    preprocessing,
    regularizers,
    utils,
)
from tapeviz.tf.keras.initializers import Initializer
from tapeviz.tf.keras.layers import Input, InputSpec, Layer
from tapeviz.tf.keras.losses import Loss
from tapeviz.tf.keras.metrics import Metric
from tapeviz.tf.keras.models import Model, Sequential
from tapeviz.tf.keras.optimizers import Optimizer
from tapeviz.tf.keras.regularizers import Regularizer
from tapeviz.tf.keras.symbolic import on_weights
from tapeviz.tf.keras.variable import Variable
from tapeviz.tf.names import missing

__all__ = [
    "Initializer",
    "Input",
    "InputSpec",
    "Layer",
    "Loss",
    "Metric",
    "Model",
    "Optimizer",
    "Regularizer",
    "Sequential",
    "Variable",
    "activations",
    "backend",
    "callbacks",
    "config",
    "constraints",
    "initializers",
    "layers",
    "losses",
    "metrics",
    "models",
    "optimizers",
    "preprocessing",
    "regularizers",
    "utils",
]
__getattr__ = missing(__name__)
on_weights.attach()
