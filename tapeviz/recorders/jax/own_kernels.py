"""JAX' kernels, which XLA makes: 1 / √a is off by the last digit in 1 of 7 numbers, a sum has an order of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from tapeviz.events.own_kernels import Array, OwnKernels
from tapeviz.recorders.session import unheard


def _computed(function: Callable[[Any], Any], a: Array) -> Any:
    with unheard(), jax.ensure_compile_time_eval():
        return np.asarray(function(a))


KERNELS = OwnKernels(inverse_root=lambda a: _computed(jax.lax.rsqrt, a), total=lambda a: _computed(jax.numpy.sum, a))
