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
from tapeviz.recorders.naming import take_name
from tapeviz.recorders.patches import Patches, Row
from tapeviz.recorders.torch.groups import about_group
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.session import Session

GATHER = "fsdp.all_gather"
"""The name of the op."""
_FSDP = "torch.distributed.fsdp"
_BY_PARAMETER, _FLAT = f"{_FSDP}._fully_shard._fsdp_param_group", f"{_FSDP}._flat_param"
"""The modules of `fully_shard` and of `FullyShardedDataParallel` that gather parameters; most programs import none."""


class Shard(NamedTuple):
    """What a whole parameter was gathered from: the program's `own`, within the arguments and results of an op.

    `is_reduced` says whether the next pass sums gradients up over the processes, and shares them out.
    """

    own: tuple[Any, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    is_reduced: Callable[[], bool]


class Shards:
    """Notes where parameters are gathered; what copies and views that takes is not recorded."""

    def __init__(self, session: Session, mode: FunctionMode, patches: Patches) -> None:
        self._session = session
        self._mode = mode
        self._patches = patches

    def watch(self) -> None:
        """Put the hooks in their places, now or when the program imports what they are for."""
        kinds = {_BY_PARAMETER: self._by_parameter, _FLAT: self._flat}
        for name in kinds.keys() & sys.modules.keys():
            self._patches.install(kinds.pop(name)(sys.modules[name]))
        if kinds:
            watch = ImportWatch(kinds, lambda name: self._patches.install(kinds[name](sys.modules[name])))
            watch.open()
            self._patches.finally_(watch.close)

    def _by_parameter(self, module: Any) -> Iterator[Row]:
        """Each parameter has a whole one of its own; those of a module are gathered together."""
        recording, group = self._mode.recording, module.FSDPParamGroup
        yield recording.within(group, "unshard", self._mode.unrecorded)
        yield recording.within(group, "reshard", self._mode.unrecorded)
        yield recording.instead(group, "wait_for_unshard", self._wait)

    def _wait(self, wait: Any, group: Any) -> None:
        gathers = group._all_gather_result is not None
        with self._mode.unrecorded():
            wait(group)
        if gathers:
            wholes = [(each.unsharded_param, (each.sharded_param,)) for each in group.fsdp_params]
            self._note(wholes, group._all_gather_process_group, lambda: bool(group.reduce_grads))

    def _flat(self, module: Any) -> Iterator[Row]:
        """The parameters of a module, or what this process has of them, are parts of a single one."""
        recording, handle = self._mode.recording, module.FlatParamHandle
        yield recording.instead(handle, "unshard", self._unshard)
        yield recording.within(handle, "reshard", self._mode.unrecorded)

    def _unshard(self, unshard: Any, handle: Any) -> None:
        gathers, flat = handle.needs_unshard(), handle.flat_param
        with self._mode.unrecorded():
            unshard(handle)
        if gathers and flat._params is not None:  # else the program has the single one
            infos = zip(flat._params, flat._shard_param_infos, strict=True)
            self._note([(flat, tuple([each for each, info in infos if info.in_shard]))], handle.process_group)

    def _note(
        self,
        wholes: Sequence[tuple[Any, tuple[Any, ...]]],
        group: Any,
        is_reduced: Callable[[], bool] = lambda: True,
    ) -> None:
        """One op from the program's parameters to the whole ones that stand in their place."""
        session, log = self._session, self._session.log
        session.open()
        code, lasti, scope = session.place(2)
        own = [each for _, parts in wholes for each in parts]
        inputs = tuple(map(session.ledger.id_of, own))
        outputs = tuple([session.tensors.add(whole) for whole, _ in wholes])
        values = tuple([session.values.hold(each, raw_id) for (each, _), raw_id in zip(wholes, outputs, strict=True)])
        about = (*about_group(group), ("bytes", sum(whole.nbytes for whole, _ in wholes)))
        tapes = (session.tape,) if torch.is_grad_enabled() and any(each.requires_grad for each in own) else ()
        log.raw += (GATHER, inputs, outputs, values, about, (), tapes, scope, code, lasti)
        for (whole, parts), raw_id in zip(wholes, outputs, strict=True):
            take_name(log, raw_id)
            session.tensors.learn(whole).shard = Shard(parts, inputs, outputs, is_reduced)
