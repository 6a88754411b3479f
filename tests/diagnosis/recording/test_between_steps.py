"""Passes whose gradients are used, or left in place, as they are meant to be hear nothing at all."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tapeviz.diagnosis.diagnose import diagnose
from tests.diagnosis.programs import run

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

NETS = """
a, b = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
opt_a, opt_b = (torch.optim.SGD(each.parameters(), lr=0.1) for each in (a, b))
"""
QUIET = {
    "two_optimizers_of_one_loss": """
        for _ in range(3):
            b(a(torch.randn(4, 2))).exp().mean().backward()
            opt_a.step(), opt_b.step()
            opt_a.zero_grad(), opt_b.zero_grad()
        """,
    "what_a_pass_for_another_leaves_is_cleared": """
        for _ in range(3):
            opt_b.zero_grad()
            b(a(torch.randn(4, 2)).detach()).exp().mean().backward()
            opt_b.step()
            opt_a.zero_grad()
            b(a(torch.randn(4, 2))).tanh().mean().backward()
            opt_a.step()
        """,
    "parts_of_a_loss_before_any_step": """
        for _ in range(3):
            for scale in (1.0, 2.0):
                (b(a(torch.randn(4, 2))).exp().mean() * scale).backward()
            opt_a.step(), opt_b.step()
            opt_a.zero_grad(), opt_b.zero_grad()
        """,
    "a_step_left_out_for_the_norm_of_its_gradients": """
        for step in range(3):
            opt_b.zero_grad()
            b(torch.randn(4, 2)).exp().mean().backward()
            norm = torch.nn.utils.clip_grad_norm_(b.parameters(), 1.0)
            if step != 1:
                opt_b.step()
        """,
    "a_last_sum_that_is_too_short_for_a_step": """
        for epoch in range(2):
            opt_b.zero_grad()
            for i in range(3):
                (b(torch.randn(4, 2)).exp().mean() / 2).backward()
                if i % 2:
                    opt_b.step()
                    opt_b.zero_grad()
        """,
}


@pytest.mark.parametrize("name", QUIET)
def test_what_is_meant_so_is_not_told(name: str) -> None:
    found = diagnose(run(NETS + dedent(QUIET[name]), torch))
    assert not list(found), str(found)
