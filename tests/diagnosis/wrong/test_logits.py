"""Losses that take logarithms of probabilities, and are given other numbers."""

from __future__ import annotations

import pytest

from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.diagnosis.finding import Finding
from tests.diagnosis.programs import run

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

PROGRAM = """layer = torch.nn.Linear(4, 3)
x, labels = torch.ones(5, 4), torch.tensor([0, 1, 2, 0, 1])
{lines}
loss.backward()
"""


def _found(*lines: str) -> list[Finding]:
    return list(diagnose(run(PROGRAM.format(lines="\n".join(lines)), torch)))


@pytest.mark.parametrize(
    ("made", "loss", "instead"),
    [
        ("p = torch.softmax(layer(x), dim=1)", "torch.nn.functional.nll_loss(p, labels)", "torch.log_softmax"),
        ("p = torch.nn.Softmax(1)(layer(x))", "torch.nn.NLLLoss()(p, labels)", "torch.log_softmax"),
        (
            "p = layer(x).sigmoid()",
            "torch.nn.functional.kl_div(p, torch.eye(5, 3), reduction='batchmean')",
            "torch.nn.functional.logsigmoid",
        ),
    ],
)
def test_probabilities_for_their_logarithms(made: str, loss: str, instead: str) -> None:
    (found,) = _found(made, f"loss = {loss}")
    assert (found.cause, found.symptom, found.severity) == ("api_misuse", "wrong", "warning")
    assert found.site is not None
    assert found.site.text == made
    assert f"`{instead}`" in found.fix


def test_numbers_above_zero_are_no_logarithms_of_probabilities() -> None:
    (found,) = _found("z = layer(x) + 2.0", "loss = torch.nn.functional.nll_loss(z, labels)")
    assert (found.cause, found.severity) == ("api_misuse", "hint")
    assert "`torch.log_softmax`" in found.fix


@pytest.mark.parametrize(
    "made",
    ["p = torch.log_softmax(layer(x), dim=1)", "p = torch.softmax(layer(x), dim=1).log()", "p = layer(x) - 9.0"],
)
def test_logarithms_are_left_alone(made: str) -> None:
    assert _found(made, "loss = torch.nn.functional.nll_loss(p, labels)") == []
