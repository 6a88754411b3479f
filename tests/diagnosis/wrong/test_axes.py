"""A softmax along the examples, and a loss that picks classes: told where the two differ, and only there."""

from __future__ import annotations

import pytest

import tapeviz as tv
from tapeviz.diagnosis import Finding
from tests.diagnosis.programs import run

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

PROGRAM = """layer = torch.nn.Linear(4, 3)
x, labels = torch.randn(5, 4), torch.tensor([0, 1, 2, 0, 1])
ones = torch.nn.functional.one_hot(labels)
{made}
{loss}.backward()
"""
NLL = "torch.nn.functional.nll_loss(p, labels)"
WRONG = {
    "method": ("p = layer(x).log_softmax(0)", NLL, "p = layer(x).log_softmax(1)"),
    "from_the_end": ("p = torch.log_softmax(layer(x), dim=-2)", NLL, "p = torch.log_softmax(layer(x), dim=1)"),
    "by_place": ("p = torch.softmax(layer(x), 0).log()", NLL, "p = torch.softmax(layer(x), 1).log()"),
    "module": ("p = torch.nn.LogSoftmax(dim=0)(layer(x))", NLL, None),
    "picked": (
        "p = layer(x).log_softmax(0)",
        "(-p.gather(1, labels[:, None]).mean())",
        "p = layer(x).log_softmax(1)",
    ),
    "sequences": (
        "p = layer(torch.randn(5, 3, 4)).log_softmax(-1)",
        "torch.nn.functional.nll_loss(p, labels[:, None].expand(5, 3))",
        None,
    ),
    "weighed": (
        "p = layer(x).softmax(dim=0).log()",
        "(-(ones * p).sum(-1).mean())",
        "p = layer(x).softmax(dim=1).log()",
    ),
}
RIGHT = {
    "classes": ("p = layer(x).log_softmax(-1)", NLL),
    "of_images": ("p = layer(x).reshape(1, 5, 3).log_softmax(1)", "torch.nn.functional.nll_loss(p, labels[None, :3])"),
    "pairs": ("p = (layer(x) @ layer(x).T).log_softmax(0)", "(-(p * torch.eye(5)).sum(1).mean())"),
    "gates_of_experts_that_choose": ("p = layer(x).softmax(0)", "(p * ones).sum(1).square().mean()"),
    "shares_that_are_smoothed": ("p = (layer(x).softmax(0) + 0.1).log()", "(-(p * ones).sum(1).mean())"),
    "all_but_one": ("p = layer(x).log_softmax(0)", "(-(p * (1 - ones)).sum(1).mean())"),
    "a_step_of_each_sequence": (
        "p = layer(x).reshape(1, 5, 3).log_softmax(-1)",
        "(-p.gather(1, torch.full((1, 1, 3), 2)).mean())",
    ),
    "a_step_that_is_weighed": (
        "p = layer(x).log_softmax(-1)",
        "(-(p * torch.eye(5)[1][:, None].expand(5, 3)).sum(0).mean())",
    ),
    "scores_of_pairs": ("p = layer(x).log_softmax(0)", "(-p.T.gather(1, labels[:3, None]).mean())"),
}


def _found(made: str, loss: str) -> list[Finding]:
    return list(tv.diagnose(run(PROGRAM.format(made=made, loss=loss), torch)))


@pytest.mark.parametrize("name", WRONG)
def test_classes_that_do_not_sum_to_one_are_told(name: str) -> None:
    made, loss, mended = WRONG[name]
    (found,) = _found(made, loss)
    assert (found.cause, found.symptom, found.severity) == ("api_misuse", "wrong", "warning")
    assert f"along axis {2 if name == 'sequences' else 0}" in found.message
    assert "picks classes along axis 1" in found.message
    assert [line[1:] for line in found.patch().splitlines() if line.startswith("+p")] == ([mended] if mended else [])


@pytest.mark.parametrize("name", RIGHT)
def test_classes_that_do_are_not(name: str) -> None:
    assert _found(*RIGHT[name]) == []
