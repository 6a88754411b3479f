"""What libraries of several processes do with tensors of their own, ahead of a training -> nothing in the log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
    "torch.distributed.fsdp._flat_param": {"FlatParamHandle": ("__init__", "shard", "_use_sharded_views")},
    "torch.distributed.fsdp._runtime_utils": {"": ("_register_post_backward_hook",)},
    "torch.distributed.pipelining.stage": {"PipelineStage": ("_prepare_forward_infra", "_prepare_backward_infra")},
}
"""Module -> class, or "" for the module itself -> functions: a mesh numbers processes, parameters are cut into parts or
put into one, of which a view leads to where a hook is hung up; and a stage learns of which shapes its inputs are, by a
run with numbers that mean nothing."""


CUTS = "_init_sharded_param"
"""The method that is given a parameter, and puts a part of it in its place."""


def watch(session: Session, mode: FunctionMode, patches: Patches) -> None:
    """Put the hooks in their places, now or when the program imports what they are for."""

    def cut(_: Any, parameter: Any, *__: Any) -> None:
        with unseen():
            session.ledger.replaced(parameter)

    install_when_imported(patches, {name: _rows(mode, methods, cut) for name, methods in PREPARATIONS.items()})


def _rows(
    mode: FunctionMode, methods: dict[str, tuple[str, ...]], cut: Callable[..., None]
) -> Callable[[Any], Iterator[Row]]:
    def rows(module: Any) -> Iterator[Row]:
        for owner, names in methods.items():
            place = getattr(module, owner, None) if owner else module
            for name in names:
                if hasattr(place, name):
                    yield mode.recording.within(place, name, mode.unrecorded)
                    if name == CUTS:
                        yield mode.recording.before(place, name, cut)

    return rows
