"""Ops that leave out all that they are given, and those that leave out a part."""

from __future__ import annotations

import pytest

from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.diagnosis.finding import Finding
from tests.diagnosis.programs import run

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

PROGRAM = """layer, last = torch.nn.Linear(4, {units}), torch.nn.Linear({units}, 1)
h = layer(torch.eye(4))
h = {expression}
loss = (last(h) - 1.0).pow(2).mean()
loss.backward()
layer.weight.grad.sum()
"""
LEFT_OUT = {
    "torch.nn.functional.dropout(h, 1.0)": "drops every element",
    "torch.nn.functional.alpha_dropout(h, 1.0, training=True)": "drops every element",
    "torch.where(torch.zeros_like(h) > 0, h, torch.ones_like(h))": "takes the other operand at every entry",
    "torch.where(torch.zeros_like(h) == 0, torch.ones_like(h), h)": "takes the other operand at every entry",
    "h.masked_fill(torch.zeros_like(h) == 0, 0.5)": "fills every element",
}
KEPT = [
    "torch.nn.functional.dropout(h, 0.5)",
    "torch.where(torch.eye(4, 3) > 0, h, torch.ones_like(h))",
    "torch.where(torch.zeros_like(h) == 0, h, torch.ones_like(h))",
]


def _found(expression: str, units: int = 3) -> list[Finding]:
    log = run(PROGRAM.format(expression=expression, units=units), torch)
    return [each for each in diagnose(log) if each.site is not None and each.site.line == 3]


@pytest.mark.parametrize("expression", LEFT_OUT)
def test_what_leaves_out_everything(expression: str) -> None:
    found = [each for each in _found(expression) if each.source == "layer.weight" or "`layer.weight`" in each.message]
    assert found, "nothing is said at the line"
    assert all(LEFT_OUT[expression] in each.message for each in found)


@pytest.mark.parametrize("expression", KEPT)
def test_what_leaves_out_a_part(expression: str) -> None:
    assert _found(expression) == []


def test_a_norm_of_single_numbers() -> None:
    found = _found("torch.nn.functional.layer_norm(h, (1,))", units=1)
    assert any("runs over a single number" in each.message for each in found)
    assert _found("torch.nn.functional.layer_norm(h, (3,))") == []
