"""`DistributedDataParallel` -> which gradients the next backward pass makes equal in all processes, and how.

Its reducer works in C++, below every hook of Python's, once a gradient has been stored. Whether it will is decided when
the model is called: not within `no_sync`, nor while autograd is off.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.parallel import DistributedDataParallel

from tapeviz.recorders.patches import Row
from tapeviz.recorders.torch.groups import Replica, about_group
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.stack import unseen


class Replicas:
    """Notes which models are about to reduce their gradients over processes, whenever one is called."""

    def __init__(self, session: Session, mode: FunctionMode) -> None:
        self._session = session
        self._mode = mode

    def rows(self) -> list[Row]:
        """A hook at what every call of such a model begins with."""
        return [self._mode.recording.after(DistributedDataParallel, "_pre_forward", self._note_call)]

    def _note_call(self, model: Any, *args: Any, **kwargs: Any) -> None:
        synchronises = torch.is_grad_enabled() and model.require_backward_grad_sync
        with unseen():  # every question whether one wants a gradient would be a call that modes see
            # Those that it had when it was wrapped; a PyTorch that does not tell them has a list of today's.
            parameters = getattr(model, "_module_parameters", None) or model.module.parameters()
            own = [each for each in parameters if each.requires_grad]
        waits = not (model.find_unused_parameters or model.static_graph)
        needed = len(own) if waits else 0
        hook, in_buckets = _hook_of(model), model.gradient_as_bucket_view
        replica = Replica(about_group(model.process_group), hook, in_buckets, synchronises, needed)
        learn = self._session.tensors.learn
        for parameter in own:
            learn(parameter).replica = replica


def _hook_of(model: Any) -> str | None:
    """The name of the hook that the program has put in the place of the mean."""
    hooks = getattr(model, "_comm_hooks", ())
    return str(getattr(hooks[-1][0], "__name__", "communication hook")) if hooks else None
