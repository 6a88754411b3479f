"""Parameters that processes share out (`fully_shard`) -> whole ones, by an op that gathers them ahead of each module.

While a module runs, the parameters that it was made with are not there: others stand in their place, which hold the
parts of all processes. Their gradients are summed up and shared out when they have arrived, and only then are there
gradients of the program's own parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch

from tapeviz.events.raw import UNFINISHED, UNREDUCED
from tapeviz.recorders.imports import install_when_imported
from tapeviz.recorders.naming import rename, take_name
from tapeviz.recorders.patches import Patches, Row
from tapeviz.recorders.torch.groups import Attributes, Shard, about_group
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
        install_when_imported(self._patches, {_PER_PARAMETER: self._one_by_one, _FLATTENED: self._as_one})

    def _one_by_one(self, module: Any) -> Iterator[Row]:
        """Each parameter has a whole one of its own; those of a module are gathered together."""
        recording, group = self._mode.recording, module.FSDPParamGroup
        yield recording.instead(group, "unshard", self._ask)
        yield recording.within(group, "reshard", self._mode.unrecorded)
        yield recording.instead(group, "wait_for_unshard", self._wait)

    def _ask(self, unshard: Any, group: Any, *args: Any, **kwargs: Any) -> None:
        with self._asking(group):
            unshard(group, *args, **kwargs)

    def _wait(self, wait: Any, group: Any) -> None:
        gathers = getattr(group, "_all_gather_result", None) is not None
        with self._asking(group):
            wait(group)
        if gathers:
            with self._mode.unrecorded(), self._session.noting():
                parameters = group.fsdp_params
                wholes = [Whole(e.unsharded_param, (e.sharded_param,), f"{e._param_fqn} (whole)") for e in parameters]
                self._note(wholes, _about_parameters(group), lambda: _is_reduced(group))

    @contextmanager
    def _asking(self, group: Any) -> Iterator[None]:
        """A block that asks the other processes for their parts, or waits for these, which may be in vain."""
        with self._mode.unrecorded():
            try:
                yield
            except BaseException:
                with self._session.noting():
                    owns = tuple([self._own_id(each.sharded_param) for each in group.fsdp_params])
                    self._record(owns, (), (), (*_about_parameters(group), UNFINISHED), learns=False)
                raise

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
                self._note([_gathered_into(handle.flat_param)], about_group(handle.process_group), lambda: True)

    def _note(self, wholes: Sequence[Whole], about: Attributes, is_reduced: Callable[[], bool]) -> None:
        """One op from the program's parameters to the whole ones that stand in their place."""
        session, log = self._session, self._session.log
        owns = [{self._own_id(each): each for each in whole.own} for whole in wholes]
        inputs = tuple([raw_id for own in owns for raw_id in own])
        outputs = tuple([session.tensors.add(each.tensor) for each in wholes])
        values = tuple([session.values.hold(e.tensor, raw_id) for e, raw_id in zip(wholes, outputs, strict=True)])
        about = (*about, ("bytes", sum(each.tensor.nbytes for each in wholes)))
        learns = torch.is_grad_enabled() and any(each.tensor.requires_grad for each in wholes)
        self._record(inputs, outputs, values, about, learns=learns)
        for whole, own, raw_id in zip(wholes, owns, outputs, strict=True):
            take_name(log, raw_id)
            if whole.name is not None:
                rename(log, raw_id, whole.name)
            session.tensors.learn(whole.tensor).shard = Shard(own, inputs, outputs, is_reduced)

    def _record(
        self, inputs: tuple[int, ...], outputs: tuple[int, ...], values: Any, about: Attributes, *, learns: bool
    ) -> None:
        session = self._session
        session.open()
        code, lasti, scope = session.place(3)
        tapes = (session.tape,) if learns else ()
        session.log.raw += (GATHER, inputs, outputs, values, about, (), tapes, scope, code, lasti)

    def _own_id(self, parameter: Any) -> int:
        """The raw id of a parameter of the program's, where it is the whole one, too, at other times."""
        tensors = self._session.tensors
        before = tensors.facts(parameter).shard
        same = () if before is None else (raw_id for raw_id, each in before.own.items() if each is parameter)
        return next(iter(same), None) or self._session.ledger.id_of(parameter)


def _is_reduced(group: Any) -> bool:
    """Whether the gradients of a group of parameters get to all processes that hold them."""
    return bool(group.reduce_grads) and (bool(group.all_reduce_grads) or not _is_replicated(group))


def _is_replicated(group: Any) -> bool:
    """Whether there are several processes with the same part of each parameter, as in a mesh of two dimensions."""
    return getattr(group.mesh_info, "replicate_mesh_dim", None) is not None


def _about_parameters(group: Any) -> Attributes:
    """What an op says of a group of parameters: who has their parts, how many replicas of these there are, and whether
    the program has turned the reduction of their gradients off."""
    replicas = (("replicas", group.mesh_info.replicate_mesh_size),) if _is_replicated(group) else ()
    return *about_group(group._all_gather_process_group), *replicas, *(() if _is_reduced(group) else (UNREDUCED,))


def _gathered_into(parameter: Any) -> Whole:
    """The parameter that all of a module are parts of; the program may have it alone, and it changes its elements."""
    if parameter._params is None:
        return Whole(parameter, (parameter,))
    infos = zip(parameter._params, parameter._shard_param_infos, strict=True)
    return Whole(parameter, tuple([each for each, info in infos if info.in_shard]))
