"""PyTorch's root, which is MKL's where its kernels are not fused: off by the last digit in 1 of 150 numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tapeviz.events.own_kernels import Array, OwnKernels
from tapeviz.recorders.session import unheard
from tapeviz.recorders.torch.stack import unseen


def _root(a: Array) -> Any:
    with unheard(), unseen(), torch.no_grad():
        return torch.from_numpy(np.ascontiguousarray(a)).sqrt().numpy()


KERNELS = OwnKernels(root=_root)
