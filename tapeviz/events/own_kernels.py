"""The kernels of a framework that runs in this process, of which the last digit depends on the processor.

A recorder gives those of its framework, and a reader that computes again what the framework has computed asks for them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

Array: TypeAlias = "np.ndarray[Any, Any]"
Kernel: TypeAlias = Callable[[Array], Any]


class OwnKernels(NamedTuple):
    """Kernels of a framework, each from an array to an array; None where NumPy's gives the same.

    `root` is √a, `inverse_root` is 1 / √a, and `total` is the sum of all entries.
    """

    root: Kernel | None = None
    inverse_root: Kernel | None = None
    total: Kernel | None = None


NUMPYS = OwnKernels()
_KERNELS: dict[str, OwnKernels] = {}


def give_kernels(library: str, kernels: OwnKernels) -> None:
    """From now on it is known with which ones a library of optimizers computes."""
    _KERNELS[library] = kernels


def kernels_of(library: str) -> OwnKernels:
    """Those of a library of optimizers; in a process that records none of its programs, NumPy's.

    >>> kernels_of("another").root is None
    True
    """
    return _KERNELS.get(library, NUMPYS)
