"""Parameters that processes share out (`fully_shard`) -> whole ones, by an op that gathers them ahead of each module.

While a module runs, the parameters that it was made with are not there: others stand in their place, which hold the
parts of all processes. Their gradients are summed up and shared out when they have arrived, and only then are there
gradients of the program's own parameters.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import torch

from tapeviz.recorders.imports import ImportWatch
from tapeviz.recorders.naming import rename, take_name
from tapeviz.recorders.patches import Patches, Row
from tapeviz.recorders.torch.groups import Shard, about_group
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.session import Session

GATHER = "fsdp.all_gather"
"""The name of the op."""
_FSDP = "torch.distributed.fsdp"
_PER_PARAMETER, _FLATTENED = f"{_FSDP}._fully_shard._fsdp_param_group", f"{_FSDP}._flat_param"
"""The modules of `fully_shard` and of `FullyShardedDataParallel` that gather parameters; most programs import none."""


class Whole(NamedTuple):
    """A whole parameter, the program's `own` that it was gathered from, and the name that it gets, if any."""

    tensor: Any
    own: tuple[Any, ...]
    name: str | None = None


class Shards:
    """Notes where parameters are gathered; what copies and views that takes is not recorded."""

    def __init__(self, session: Session, mode: FunctionMode, patches: Patches) -> None:
        self._session = session
        self._mode = mode
        self._patches = patches

    def watch(self) -> None:
        """Put the hooks in their places, now or when the program imports what they are for."""
        kinds = {_PER_PARAMETER: self._one_by_one, _FLATTENED: self._as_one}
        for name in kinds.keys() & sys.modules.keys():
            self._patches.install(kinds.pop(name)(sys.modules[name]))
        if kinds:
            watch = ImportWatch(kinds, lambda name: self._patches.install(kinds[name](sys.modules[name])))
            watch.open()
            self._patches.finally_(watch.close)

    def _one_by_one(self, module: Any) -> Iterator[Row]:
        """Each parameter has a whole one of its own; those of a module are gathered together."""
        recording, group = self._mode.recording, module.FSDPParamGroup
        yield recording.within(group, "unshard", self._mode.unrecorded)
        yield recording.within(group, "reshard", self._mode.unrecorded)
        yield recording.instead(group, "wait_for_unshard", self._wait)

    def _wait(self, wait: Any, group: Any) -> None:
        gathers = getattr(group, "_all_gather_result", None) is not None
        with self._mode.unrecorded():
            wait(group)
        if gathers:
            with self._mode.unrecorded(), self._session.noting():
                parameters = group.fsdp_params
                wholes = [Whole(e.unsharded_param, (e.sharded_param,), f"{e._param_fqn} (whole)") for e in parameters]
                self._note(wholes, group._all_gather_process_group, lambda: bool(group.reduce_grads))

    def _as_one(self, module: Any) -> Iterator[Row]:
        """The parameters of a module, or what this process has of them, are parts of a single one."""
        recording, handle = self._mode.recording, module.FlatParamHandle
        yield recording.instead(handle, "unshard", self._unshard)
        yield recording.within(handle, "reshard", self._mode.unrecorded)

    def _unshard(self, unshard: Any, handle: Any) -> None:
        gathers = handle.needs_unshard()
        with self._mode.unrecorded():
            unshard(handle)
        if gathers:
            with self._mode.unrecorded(), self._session.noting():
                self._note([_gathered_into(handle.flat_param)], handle.process_group, lambda: True)

    def _note(self, wholes: Sequence[Whole], group: Any, is_reduced: Callable[[], bool]) -> None:
        """One op from the program's parameters to the whole ones that stand in their place."""
        session, log = self._session, self._session.log
        session.open()
        code, lasti, scope = session.place(2)
        owns = [{self._own_id(each): each for each in whole.own} for whole in wholes]
        inputs = tuple([raw_id for own in owns for raw_id in own])
        outputs = tuple([session.tensors.add(each.tensor) for each in wholes])
        values = tuple([session.values.hold(e.tensor, raw_id) for e, raw_id in zip(wholes, outputs, strict=True)])
        about = (*about_group(group), ("bytes", sum(each.tensor.nbytes for each in wholes)))
        learns = torch.is_grad_enabled() and any(each.tensor.requires_grad for each in wholes)
        tapes = (session.tape,) if learns else ()
        log.raw += (GATHER, inputs, outputs, values, about, (), tapes, scope, code, lasti)
        for whole, own, raw_id in zip(wholes, owns, outputs, strict=True):
            take_name(log, raw_id)
            if whole.name is not None:
                rename(log, raw_id, whole.name)
            session.tensors.learn(whole.tensor).shard = Shard(own, inputs, outputs, is_reduced)

    def _own_id(self, parameter: Any) -> int:
        """The raw id of a parameter of the program's, where it is the whole one, too, at other times."""
        tensors = self._session.tensors
        before = tensors.facts(parameter).shard
        same = () if before is None else (raw_id for raw_id, each in before.own.items() if each is parameter)
        return next(iter(same), None) or self._session.ledger.id_of(parameter)


def _gathered_into(parameter: Any) -> Whole:
    """The parameter that all of a module are parts of; the program may have it alone, and it changes its elements."""
    if parameter._params is None:
        return Whole(parameter, (parameter,))
    infos = zip(parameter._params, parameter._shard_param_infos, strict=True)
    return Whole(parameter, tuple([each for each, info in infos if info.in_shard]))
