"""A process group that is made in a recording: only from then on its methods are wrapped."""

from __future__ import annotations

from typing import Any

import pytest

import tapeviz as tv
from tapeviz.events import OpSkipped

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


def test_methods_of_groups_are_wrapped_from_the_first_one_on() -> None:
    distributed: Any = pytest.importorskip("torch.distributed")
    if not distributed.is_available() or not distributed.is_gloo_available():
        pytest.skip("no gloo in this PyTorch")
    group = distributed.ProcessGroup
    before = vars(group)["allreduce"], vars(group)["__init__"]
    with tv.record() as log:
        x = torch.ones(2, requires_grad=True) * 3.0
        assert vars(group)["allreduce"] is before[0]
        distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
        try:
            distributed.new_group([0])
            assert vars(group)["allreduce"] is not before[0]
            distributed.all_reduce(x)
        finally:
            distributed.destroy_process_group()
    assert (vars(group)["allreduce"], vars(group)["__init__"]) == before
    assert [op.op for op in log.of_kind(OpSkipped).values()].count("dist.all_reduce") == 1
