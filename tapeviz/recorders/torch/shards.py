"""Parameters that processes share out (`fully_shard`) -> whole ones, by an op that gathers them ahead of each module.

While a module runs, the parameters that it was made with are not there: others stand in their place, which hold the
parts of all processes. Their gradients are summed up and shared out when they have arrived, and only then are there
gradients of the program's own parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch

from tapeviz.events.raw import PARTS_OF, UNFINISHED, UNREDUCED, next_id
from tapeviz.recorders.imports import install_when_imported
from tapeviz.recorders.keras import path_name
from tapeviz.recorders.naming import rename, take_name
from tapeviz.recorders.patches import Patches, Row
from tapeviz.recorders.torch.backward.nodes import counter
from tapeviz.recorders.torch.groups import Attributes, Shard, about_group
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.values import is_made_since, node_of

GATHER = "fsdp.all_gather"
"""The name of the op."""
WHOLE = " (whole)"
"""What follows the name of a parameter in that of the whole one."""
ALONE: Attributes = (("ranks", 1),)
"""The attribute of such an op where no other process has a part."""
_FSDP = "torch.distributed.fsdp"
_PER_PARAMETER, _FLATTENED = f"{_FSDP}._fully_shard._fsdp_param_group", f"{_FSDP}._flat_param"
"""The modules of `fully_shard` and of `FullyShardedDataParallel` that gather parameters; most programs import none."""


class Whole(NamedTuple):
    """A whole parameter, and the name that it gets, if any."""

    tensor: Any
    name: str | None = None


class Shards:
    """Notes where parameters are gathered; what copies and views that takes is not recorded.

    `path` gives the dotted name of a module.
    """

    def __init__(self, session: Session, mode: FunctionMode, patches: Patches, path: Callable[[Any], str]) -> None:
        self._session = session
        self._mode = mode
        self._patches = patches
        self._path = path

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
                owns = {self._own_id(each.sharded_param): each.sharded_param for each in parameters}
                wholes = [Whole(each.unsharded_param, f"{each._param_fqn}{WHOLE}") for each in parameters]
                made = self._note(owns, wholes, _about_parameters(group))
                for whole, own in zip(wholes, owns.items(), strict=True):
                    shard = Shard(dict([own]), tuple(owns), made, lambda: _is_reduced(group))
                    self._session.tensors.learn(whole.tensor).shard = shard

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
        gathers, start = handle.needs_unshard() or self._is_new_whole(handle), counter()
        with self._mode.unrecorded(), self._session.noting():
            for each in _parts_here(handle.flat_param).values() if gathers else ():
                self._own_id(each)  # which has the elements of this process alone, as yet
        with self._mode.unrecorded():
            unshard(handle)
        with self._mode.unrecorded(), self._session.noting():
            views = self._views_in(handle, start) if counter() > start else []
            if gathers:
                self._note_flat(handle, views, start)
            elif views:
                self._view_again(handle.flat_param, views, start)

    def _is_new_whole(self, handle: Any) -> bool:
        """Whether a flat parameter that every process has all of, and nobody gathers, may have changed since it was
        noted."""
        session = self._session
        shard = session.tensors.facts(handle.flat_param).shard
        is_known = shard is not None and shard.passes == session.passes
        return not (handle.uses_sharded_strategy or session.nodes.is_in_pass or is_known)

    def _views_in(self, handle: Any, start: int) -> list[Whole]:
        """The views of a flat parameter that stand in the modules since there are nodes from `start` on, if they do."""
        names = [(getattr(module, name), module, name) for name, module, *_ in handle.flat_param._param_infos]
        views = [
            Whole(each, f"{path_name(self._path(module), name)}{WHOLE}")
            for each, module, name in names
            if is_made_since(each, start)
        ]
        return views if len(views) == len(names) else []

    def _note_flat(self, handle: Any, views: list[Whole], start: int) -> None:
        """A flat parameter is whole, and what the modules get are `views` of it, whose nodes lead to it, and are of the
        same op: the log has none of it, but where the program has it alone."""
        session, parameter = self._session, handle.flat_param
        parts = _parts_here(parameter)
        owns = {self._own_id(each): each for each in parts.values()}
        about = about_group(handle.process_group) if handle.uses_sharded_strategy else ALONE
        if len(parts) < len(views) and parameter._params is not None:
            about = (*about, (PARTS_OF, tuple(parts)))
        made = self._note(owns, views or [Whole(parameter)], about)
        session.tensors.learn(parameter).shard = Shard(owns, tuple(owns), made, lambda: True, session.passes)
        if views and parameter._params is not None:
            session.tensors.bind(parameter, next_id())
        self._view_again(parameter, views, start)

    def _view_again(self, parameter: Any, views: list[Whole], start: int) -> None:
        """These views are what the last gathering has given: the nodes from `start` on lead to it."""
        nodes, shard = self._session.nodes, self._session.tensors.facts(parameter).shard
        if shard is not None and len(views) == len(shard.outputs):
            nodes.add(start, counter(), shard.inputs, shard.outputs)
            for each, raw_id in zip(views, shard.outputs, strict=True):
                nodes.note_output(each.tensor, raw_id)

    def _note(self, owns: Iterable[int], wholes: Sequence[Whole], about: Attributes) -> tuple[int, ...]:
        """One op from the program's parameters to the whole ones that stand in their place; the raw ids of these.

        Views are made with autograd on, whatever the program has said.
        """
        session, log = self._session, self._session.log
        outputs = tuple([session.tensors.add(each.tensor) for each in wholes])
        values = tuple([session.values.hold(e.tensor, raw_id) for e, raw_id in zip(wholes, outputs, strict=True)])
        about = (*about, ("bytes", sum(each.tensor.nbytes for each in wholes)))
        learns = any(node_of(e.tensor) or (torch.is_grad_enabled() and e.tensor.requires_grad) for e in wholes)
        self._record(tuple(owns), outputs, values, about, learns=learns)
        for whole, raw_id in zip(wholes, outputs, strict=True):
            take_name(log, raw_id)
            if whole.name is not None:
                rename(log, raw_id, whole.name)
        return outputs

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


def _parts_here(parameter: Any) -> dict[int, Any]:
    """What this process has of the parameters that are one flat one, by their positions in it.

    The program may have that alone, of other elements.
    """
    if parameter._params is None:
        return {0: parameter}
    infos = zip(parameter._params, parameter._shard_param_infos, strict=True)
    return {at: each for at, (each, info) in enumerate(infos) if info.in_shard}
