"""What libraries of several processes do with tensors of their own, ahead of a training -> no ops in the log.

It says of a parameter what has become of it: another stands in its place, or a part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tapeviz.recorders.imports import install_when_imported
from tapeviz.recorders.patches import Patches, Row
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.stack import unseen

PREPARATIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "torch.distributed.device_mesh": {"DeviceMesh": ("__init__",)},
    "torch.distributed.fsdp._fully_shard._fsdp_param": {
        "FSDPParam": ("_init_sharded_param", "_init_sharded_post_forward_param_metadata"),
    },
    "torch.distributed.fsdp._flat_param": {
        "FlatParamHandle": (
            *("__init__", "shard", "_use_sharded_views"),
            *("init_flat_param_attributes", "_reset_flat_param_grad_info_if_needed", "pre_unshard"),
        ),
    },
    "torch.distributed.fsdp._runtime_utils": {"": ("_register_post_backward_hook",)},
    "torch.distributed.pipelining.stage": {"PipelineStage": ("_prepare_forward_infra", "_prepare_backward_infra")},
}
"""Module -> class, or "" for the module itself -> functions: a mesh numbers processes, parameters are cut into parts or
put into one, of which a view leads to where a hook is hung up, and whose gradient is none of the program's; and a stage
learns of which shapes its inputs are, by a run with numbers that mean nothing."""


Notes = dict[tuple[str, str], Callable[[Any, str], Row]]
"""Class and method -> the row that makes a note of its calls."""


def watch(session: Session, mode: FunctionMode, patches: Patches) -> None:
    """Put the hooks in their places, now or when the program imports what they are for."""
    ledger, recording = session.ledger, mode.recording

    def replaced(_: Any, parameter: Any, *__: Any) -> None:
        with unseen():
            ledger.replaced(parameter)

    def flattened(handle: Any, parameters: Any, *_: Any, **__: Any) -> None:
        with session.noting():
            for each in parameters if handle.flat_param._params is None else ():
                ledger.replaced(each)

    def cut(handle: Any) -> None:
        with mode.unrecorded(), session.noting():
            for each in handle.flat_param._params or ():
                ledger.cut(each)

    noted: Notes = {
        ("FSDPParam", "_init_sharded_param"): partial(recording.before, act=replaced),
        ("FlatParamHandle", "__init__"): partial(recording.after, act=flattened),
        ("FlatParamHandle", "shard"): partial(recording.after, act=cut),
    }
    install_when_imported(patches, {name: _rows(mode, methods, noted) for name, methods in PREPARATIONS.items()})


def _rows(mode: FunctionMode, methods: dict[str, tuple[str, ...]], noted: Notes) -> Callable[[Any], Iterator[Row]]:
    def rows(module: Any) -> Iterator[Row]:
        for owner, names in methods.items():
            place = getattr(module, owner, None) if owner else module
            for name in names:
                if hasattr(place, name):
                    yield mode.recording.within(place, name, mode.unrecorded)
                    if (owner, name) in noted:
                        yield noted[owner, name](place, name)

    return rows
