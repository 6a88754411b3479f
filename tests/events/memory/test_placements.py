"""Where the parts of a distributed tensor are stays known, whatever a log lets go of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeviz.events.memory.budget import shrunk, without_values
from tapeviz.events.memory.settling import alone
from tapeviz.events.values import HeldTensor, placement_of, read_spec, readable


class Part(HeldTensor):
    """What this process has of a tensor."""

    def read(self) -> Any:
        return self.tensor

    @property
    def is_near(self) -> bool:
        return True


@pytest.fixture(params=[4, 400], ids=["small", "large"])
def part(request: pytest.FixtureRequest) -> Part:
    array = np.ones(request.param, np.float32)
    found = Part(array, array.shape, "float32", array.nbytes)
    found.placement = "Shard(0)"
    return found


@pytest.mark.parametrize("let_go", [lambda part: shrunk(part, {}), alone, without_values])
def test_the_placement_stays(part: Part, let_go: Any) -> None:
    left = let_go(part)
    assert placement_of(left) == "Shard(0)"
    assert read_spec(left) == (part.shape, "float32")


def test_so_do_its_statistics(part: Part) -> None:
    size = part.shape[0]
    left = readable(shrunk(part, {}))
    assert (np.linalg.norm(left) if size == 4 else left.norm) == size**0.5
