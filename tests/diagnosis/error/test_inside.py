"""Errors of PyTorch's that come from what an op left: a gradient of zeros for which there is no memory."""

from __future__ import annotations

import pytest

from tapeviz.diagnosis.diagnose import diagnose
from tests.diagnosis.programs import run

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


@pytest.mark.parametrize("between", ["pass", "x.grad = None"])
def test_zeros_without_memory_that_a_later_pass_cannot_add_to(between: str) -> None:
    text = f"""# raises
x = torch.ones(3, requires_grad=True)
torch.sgn(x).sum().backward()
{between}
(x * 2.0).sum().backward()
"""
    told = [each for each in diagnose(run(text, torch)) if each.cause == "accumulated_gradient"]
    assert [each.site and each.site.line for each in told] == ([5] if between == "pass" else [])
    assert all("`.grad` of `x`, and cannot" in each.message for each in told)
