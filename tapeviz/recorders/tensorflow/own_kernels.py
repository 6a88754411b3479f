"""TensorFlow's sum, which adds in an order of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from tensorflow.python.eager import context, record
from tensorflow.python.framework import ops
from tensorflow.python.ops import math_ops

from tapeviz.events.own_kernels import Array, OwnKernels
from tapeviz.recorders.session import unheard


def _total(a: Array) -> Any:
    with unheard(), ops.init_scope(), context.eager_mode(), record.stop_recording():
        return np.asarray(math_ops.reduce_sum(a)._numpy())


KERNELS = OwnKernels(total=_total)
