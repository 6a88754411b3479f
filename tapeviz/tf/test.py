"""`tf.test`: gradients beside differences, and what tutorials ask about the machine: it has a CPU."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.gradient_checks.jacobians import compute_gradient
from tapeviz.tf.names import missing

__all__ = ["compute_gradient", "gpu_device_name", "is_built_with_cuda", "is_built_with_gpu_support", "is_gpu_available"]
__getattr__ = missing(__name__)


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """Whether there is a GPU: no."""
    return False


def gpu_device_name() -> str:
    """The name of the GPU: none."""
    return ""


def is_built_with_cuda() -> bool:
    """Whether CUDA is used: no."""
    return False


def is_built_with_gpu_support() -> bool:
    """Whether a GPU could be used: no."""
    return False
