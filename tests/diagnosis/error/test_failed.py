"""What is advised where all parameters are frozen: what was given may be what is to change."""

from __future__ import annotations

import pytest

from tapeviz.diagnosis.diagnose import diagnose
from tests.diagnosis.programs import run

ATTACK = """# raises
net = torch.nn.Linear(3, 2).requires_grad_(False)
image = torch.ones(1, 3)
noise = torch.zeros_like(image)
loss = net(image + noise).sum()
loss.backward()
"""


@pytest.mark.torch
def test_an_input_may_be_what_is_to_change() -> None:
    torch = pytest.importorskip("torch")
    [found] = diagnose(run(ATTACK, torch))
    assert found.cause == "not_trainable"
    assert found.fix.endswith(
        "If what is to change is one of `image` and `noise`, write `noise.requires_grad_()` where it is made."
    )
