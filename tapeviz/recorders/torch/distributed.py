"""A tensor that is distributed over processes -> the part that this one has, and where all parts are."""

from __future__ import annotations

import sys
from typing import Any

import torch


def local_part(tensor: torch.Tensor) -> torch.Tensor | None:
    """What this process has of a tensor that is distributed over several; None of any other tensor.

    What other classes make of the tensors that they wrap, nobody but their own code knows.
    """
    distributed = sys.modules.get("torch.distributed.tensor")
    kind = getattr(distributed, "DTensor", None)  # none either when the interpreter ends, and takes modules down
    if kind is None or not isinstance(tensor, kind):
        return None
    local: torch.Tensor | None = getattr(tensor, "_local_tensor", None)  # `to_local` would be an op of the program's
    return local


def placement_in(tensor: Any) -> str:
    """How the processes hold a distributed tensor, for each dimension of their mesh, as the program would write it."""
    return ", ".join([_written(each) for each in tensor.placements])


def _written(placement: Any) -> str:
    if placement.is_shard():
        return f"Shard({placement.dim})"
    return "Replicate()" if placement.is_replicate() else f"Partial({getattr(placement, 'reduce_op', '')})"
