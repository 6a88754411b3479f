"""Collectives of `torch.distributed` -> ops without a derivative, which write into the buffers that they are given.

They run in C++, where no function mode sees them. All functions of the user's come to the methods of a process group.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import torch

from tapeviz.recorders.patches import Row
from tapeviz.recorders.torch.grad_attribute import GradAttribute
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.stack import seen, unseen
from tapeviz.recorders.torch.writes import Write

_INTO_BUFFERS = {
    "allgather": "all_gather",
    "_allgather_base": "all_gather",
    "all_gather_single": "all_gather",
    "allgather_coalesced": "all_gather",
    "allgather_into_tensor_coalesced": "all_gather",
    "alltoall": "all_to_all",
    "alltoall_base": "all_to_all_single",
    "all_to_all_single": "all_to_all_single",
    "gather": "gather",
    "reduce_scatter": "reduce_scatter",
    "_reduce_scatter_base": "reduce_scatter",
    "reduce_scatter_single": "reduce_scatter",
    "reduce_scatter_tensor_coalesced": "reduce_scatter",
    "scatter": "scatter",
}
"""Methods whose first two arguments are buffers, and what goes into them -> the function that does the same, and that
autograd follows, of `torch.distributed.nn.functional`."""

_IN_PLACE = {
    "allreduce": "all_reduce",
    "allreduce_coalesced": "all_reduce",
    "broadcast": "broadcast",
    "reduce": "reduce",
}
"""The same of methods that change their first argument."""


class Collectives:
    """What a process sends to others, and gets from them."""

    def __init__(self, session: Session, mode: FunctionMode, gradients: GradAttribute) -> None:
        self._session = session
        self._mode = mode
        self._gradients = gradients
        self._writes: dict[str, Write] = {}

    def rows(self) -> Iterator[Row]:
        """The methods of a process group, in builds of PyTorch that have one."""
        group = getattr(getattr(torch._C, "_distributed_c10d", None), "ProcessGroup", None)
        recording = self._mode.recording
        for method in (*_INTO_BUFFERS, *_IN_PLACE):
            if hasattr(group, method):
                yield recording.instead(group, method, partial(self._run, method))

    def _run(self, method: str, collective: Any, group: Any, *args: Any, **kwargs: Any) -> Any:
        """What is done at one method; autograd does not follow it, as if it was off."""
        into_buffers = method in _INTO_BUFFERS
        if len(args) < 1 + into_buffers:
            return collective(group, *args, **kwargs)
        enabled = torch.is_grad_enabled()

        def run(*_: Any, **__: Any) -> Any:
            with torch.set_grad_enabled(enabled), seen():
                return collective(group, *args, **kwargs)

        given = ((args[1],), {"out": args[0]}) if into_buffers else ((args[0],), {})
        with unseen(), torch.no_grad():
            return self._write(method)(run, (), *given)

    def _write(self, method: str) -> Write:
        """The op of a method, made at its first call: most recordings need none."""
        found = self._writes.get(method)
        if found is None:
            name = (_INTO_BUFFERS | _IN_PLACE)[method]
            found = self._writes[method] = Write(self._session, self._gradients, None, f"dist.{name}")
        return found
