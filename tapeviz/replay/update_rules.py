"""A weight, its gradient, and the state and hyperparameters of an optimizer -> the new weight, formula by formula.

Everything is computed from what there was before the step; what the optimizer wrote is not read. Where
a library computes op by op, it is computed in the dtype of the weight and in its order, and to the last bit as the
engine has it; where it multiplies matrices or takes norms, as PyTorch's Adafactor, Muon and LBFGS do, in double
precision.
"""

from __future__ import annotations

import numpy as np

from tapeviz.replay.optimizers import keras, kernels, optax, pytorch
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
    w, g = np.asarray(w), np.asarray(g)
    options = {**options, "dtype": w.dtype.type}
    library = options.get("library", "pytorch")
    is_fused = library == "pytorch" and options.get("fused")  # the root of such a kernel is NumPy's
    with kernels.as_in("" if is_fused else library):
        if library in ("keras", "tapeviz"):
            return tuple(keras.steps(optimizer, w, g, state, options))
        if library == "optax":
            return tuple(optax.steps(w, g, state, options))
        rule = RULES.get(optimizer)
        return () if rule is None else tuple(pytorch.steps(rule, w, g, state, options))
