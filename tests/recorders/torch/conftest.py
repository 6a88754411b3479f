"""What several tests of PyTorch's recorder share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture
def alone() -> Iterator[None]:
    """A process group of this process alone, which no network connects."""
    distributed = pytest.importorskip("torch.distributed")
    if not distributed.is_available() or not distributed.is_gloo_available():
        pytest.skip("no gloo in this PyTorch")
    distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
    yield
    distributed.destroy_process_group()
