"""Collectives of `torch.distributed` -> ops without a derivative, which write into the buffers that they are given.

They run in C++, where no function mode sees them. All functions of the user's come to the methods of a process group,
in a backward pass as well: there they are those of hooks, and of the gradients of others.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch

from tapeviz.events.raw import UNFINISHED
from tapeviz.recorders.hooks import ALWAYS, When
from tapeviz.recorders.patches import Patches, Row
from tapeviz.recorders.torch.grad_attribute import GradAttribute
from tapeviz.recorders.torch.groups import about_call, about_peer
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.stack import seen, unseen
from tapeviz.recorders.torch.storages import note_received
from tapeviz.recorders.torch.values import tensors_in
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

_RECEIVING = {"recv": "recv", "recv_anysource": "recv"}
"""The same of methods that fill it with what another process sends; autograd follows none of them."""

_WRITING = _INTO_BUFFERS | _IN_PLACE | _RECEIVING

_PEERS = {"recv": "from"}
"""Methods whose second argument is a rank of the group -> what their ops call it, as a rank of all processes."""


class Collectives:
    """What a process sends to others, and gets from them."""

    def __init__(self, session: Session, mode: FunctionMode, gradients: GradAttribute, patches: Patches) -> None:
        self._session = session
        self._gradients = gradients
        self._patches = patches
        self._recorded = When(lambda: mode.is_recording or (session.is_here and session.nodes.is_in_pass))
        self._writes: dict[str, Write] = {}
        self._is_watching = False

    def watch(self) -> None:
        """Put the hooks in their places, now or when a process group is made, in builds of PyTorch that have one.

        Most programs make none, and there are twenty hooks.
        """
        group = getattr(getattr(torch._C, "_distributed_c10d", None), "ProcessGroup", None)
        if group is None:
            return
        if torch.distributed.is_initialized():
            self._meet(group)
        else:
            self._patches.install([ALWAYS.after(group, "__init__", lambda *_, **__: self._meet(group))])

    def _meet(self, group: type) -> None:
        """There is a process group of this class, perhaps not the first one."""
        if not self._is_watching:
            self._is_watching = True
            self._patches.install(self._rows(group))

    def _rows(self, group: type) -> Iterator[Row]:
        """The methods of a process group."""
        for method in _WRITING:
            if hasattr(group, method):
                yield self._recorded.instead(group, method, partial(self._run, method))
        if hasattr(group, "send"):
            yield self._recorded.instead(group, "send", self._send)

    def _run(self, method: str, collective: Any, group: Any, *args: Any, **kwargs: Any) -> Any:
        """What is done at one method; autograd does not follow it, as if it was off."""
        into_buffers = method in _INTO_BUFFERS
        if len(args) < 1 + into_buffers:
            return collective(group, *args, **kwargs)
        enabled = torch.is_grad_enabled()

        def run(*_: Any, **__: Any) -> Any:
            with torch.set_grad_enabled(enabled), seen():
                return collective(group, *args, **kwargs)

        sent = args[into_buffers]
        about = dict(about_call(group, (*args, *kwargs.values()), sent))
        if method in _PEERS:
            about |= about_peer(group, _PEERS[method], *args[1:])
        if method in _RECEIVING:
            for each in tensors_in(sent):
                note_received(each)
        with unseen(), torch.no_grad(), self._asking(method, sent, about):
            return self._write(method)(run, (), (sent,), about | {"out": args[0]} if into_buffers else about)

    @contextmanager
    def _asking(self, method: str, sent: Any, about: dict[str, Any]) -> Iterator[None]:
        """A block in which other processes are asked for what they have, which may be in vain."""
        try:
            yield
        except BaseException:
            with self._session.noting():
                session = self._session
                code, lasti, scope = session.place(2)
                inputs = tuple(map(session.ledger.id_of, tensors_in(sent)))
                attributes = (*about.items(), UNFINISHED)
                session.log.raw += (f"dist.{_WRITING[method]}", inputs, (), (), attributes, (), (), scope, code, lasti)
            raise

    def _write(self, method: str) -> Write:
        """The op of a method, made at its first call: most recordings need none."""
        found = self._writes.get(method)
        if found is None:
            name = f"dist.{_WRITING[method]}"
            found = self._writes[method] = _Received(self._session, self._gradients, None, name)
        return found

    def _send(self, send: Any, group: Any, tensors: Any, peer: int, *args: Any, **kwargs: Any) -> Any:
        """What goes to another process is made into nothing here."""
        session, log = self._session, self._session.log
        work = send(group, tensors, peer, *args, **kwargs)
        with unseen():
            inputs = tuple(map(session.ledger.id_of, tensors_in(tensors)))
            code, lasti, scope = session.place()
            about = (*about_call(group, (), tensors), *about_peer(group, "to", peer, *args))
            log.raw += ("dist.send", inputs, (), (), about, (), (), scope, code, lasti)
        return work


class _Received(Write):
    """A write of what comes from other processes: it is told of tensors that the log does not know yet, too."""

    def _is_known(self, args: tuple[Any, ...]) -> bool:
        return True
