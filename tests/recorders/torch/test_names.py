"""What tensors are called whose line calls a library: by a name that stands for them there, or not at all."""

from __future__ import annotations

from typing import Any

import pytest

import tapeviz
from tests.diagnosis.programs import run

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


def names(text: str) -> list[str]:
    """The names in the log of a program, in the order of the tensors."""
    rows: Any = run(text, torch).tensors
    return [each.name for each in rows if each.name is not None]


def test_leaves_of_a_generator_have_the_names_that_it_is_unpacked_to() -> None:
    text = "for _ in range(2):\n    q, k = (torch.tensor([0.0], requires_grad=True) for _ in range(2))\nq + k"
    assert names(text) == ["q", "k"] * 2


def test_results_in_a_list_are_numbered_as_they_are_in_it_however_many_ops_each_takes() -> None:
    text = "us = [torch.nn.functional.normalize(torch.ones(2, 2, requires_grad=True)) for _ in range(3)]"
    assert names(text) == ["us[0]", "us[1]", "us[2]"]


def test_results_beside_the_one_that_a_line_goes_on_with_have_no_name() -> None:
    text = """
x = torch.ones(2, 3, requires_grad=True)
pair = torch.max(x, dim=1)
chosen = torch.nn.functional.gumbel_softmax(x, hard=True)
"""
    assert names(text) == ["x", "pair[0]", "pair[1]", "chosen"]


def test_parameters_are_called_as_the_model_calls_them_whatever_its_parts_call_theirs() -> None:
    class Residual(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = torch.nn.Linear(2, 2)

        def forward(self, x: Any) -> Any:
            return x + self.first(x)

    class Net(Residual):
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Sequential(Residual(), Residual())

        def forward(self, x: Any) -> Any:
            return self.layer(self.first(x))

    model = Net()
    with tapeviz.record() as log:
        model(torch.ones(1, 2)).sum().backward()
    found = {row.name for row in log.tensors if row.role == "variable"}
    assert found == {name for name, _ in model.named_parameters()}
    assert (log.gradient("first.weight") == model.first.weight.grad.numpy()).all()


class Masked(torch.nn.Module):
    """A model that reads data, and makes some."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.head = torch.nn.Embedding(5, 4), torch.nn.Linear(4, 2)

    def forward(self, tokens: Any, mask: Any = None, **more: Any) -> Any:
        embedded = self.embed(tokens)
        return self.head(embedded * mask[..., None] + more.get("bias", 0.0) + torch.ones(4))


def test_what_a_model_reads_is_called_as_its_forward_calls_it_unless_it_has_a_name() -> None:
    model, data = Masked(), [torch.tensor([[1, 2, 0]]), torch.ones(1, 3), torch.zeros(1, 3, 2)]
    with tapeviz.record() as log:
        bias = torch.full((4,), 0.5)
        torch.nn.MSELoss()(model(data[0], mask=data[1], bias=bias), data[2]).backward()
    found = [row.name for row in log.tensors if row.role == "constant"]
    assert sorted(map(str, found)) == ["None", "bias", "mask", "target", "tokens"]  # one is made inside


def test_a_call_that_does_not_fit_fails_as_without_a_recording() -> None:
    with tapeviz.record(), pytest.raises(TypeError, match="forward"):
        Masked()(torch.tensor([[1]]), 1, 2, 3)


def test_layers_that_a_comprehension_goes_through_are_told_apart() -> None:
    text = "layers = [torch.nn.Linear(1, 1) for _ in range(2)]\nys = [layer(torch.ones(1, 1)) for layer in layers]"
    found = [each for each in names(text) if each.startswith("layer")]
    assert found == ["layers[0].weight", "layers[0].bias", "layers[1].weight", "layers[1].bias"]
