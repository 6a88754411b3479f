"""A weight, its gradient, and the state and hyperparameters of an optimizer -> the new weight, formula by formula.

Everything is computed from what there was before the step; what the optimizer wrote is not read. It is computed in
double precision, but of the engine's own optimizers as they compute, to the last bit.
"""

from __future__ import annotations

import numpy as np

from tapeviz.replay.optimizers import keras, optax, pytorch
from tapeviz.replay.optimizers.steps import Array, Options, State
from tapeviz.replay.optimizers.steps import UpdateStep as UpdateStep  # which `update_steps` gives

RULES = pytorch.RULES
"""By the name of an optimizer's class."""


def update_steps(optimizer: str, w: Array, g: Array, state: State, options: Options) -> tuple[UpdateStep, ...]:
    """The steps from a gradient to the new weight, the last of which is that; none where the rule is not known.

    >>> found = update_steps("SGD", np.array([1.0]), np.array([2.0]), {}, {"lr": 0.25})
    >>> [(step.name, step.formula, float(step.value[0])) for step in found]
    [('update', 'η g', 0.5), ('new weight', 'w - update', 0.5)]
    """
    if "lr" not in options:
        return ()
    wide = {name: np.asarray(value, np.float64) for name, value in state.items()}
    options = {**options, "dtype": w.dtype.type}
    if options.get("library") == "tapeviz":
        return tuple(keras.steps(optimizer, w, g, state, options))
    w = np.asarray(w, np.float64)
    g = np.asarray(g, np.float64)
    if options.get("library") == "keras":
        return tuple(keras.steps(optimizer, w, g, wide, options))
    if options.get("library") == "optax":
        return tuple(optax.steps(w, g, wide, options))
    rule = RULES.get(optimizer)
    return () if rule is None else tuple(pytorch.steps(rule, w, g, wide, options))
