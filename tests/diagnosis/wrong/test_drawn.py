"""Samples without a gradient, drawn from what learns by another term: told, but where they are scored."""

from __future__ import annotations

import pytest

import tapeviz as tv
from tests.diagnosis.programs import run

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

PROGRAM = """
from torch import distributions as D
encoder, spread, decoder = torch.nn.Linear(4, 2), torch.nn.Linear(4, 2), torch.nn.Linear(2, 4)
class Buffer(list):
    @torch.no_grad()
    def sample(self):
        return torch.stack(self).mean(0)
x = torch.randn(3, 4)
q = D.Normal(encoder(x), spread(x).exp())
{lines}
loss.backward()
"""
KL = "D.kl_divergence(q, D.Normal(0.0, 1.0)).mean()"
TOLD = {
    "autoencoder": f"z = q.sample()\nloss = (decoder(z) - x).square().mean() + {KL}",
    "of_many_numbers": f"""p = D.MultivariateNormal(encoder(x), torch.eye(2))
z = p.sample()
loss = (decoder(z) - x).square().mean() + {KL}""",
    "reshaped": f"z = q.sample()\nloss = (decoder(z[None]) - x).square().mean() + {KL}",
}
SILENT = {
    "with_its_gradient": f"z = q.rsample()\nloss = (decoder(z) - x).square().mean() + {KL}",
    "scored": """z = q.sample()
cost = (decoder(z) - x).square().mean(1)
loss = cost.mean() + (q.log_prob(z).sum(1) * cost.detach()).mean()""",
    "policy": "z = q.sample()\nloss = -(q.log_prob(z).sum(1) * torch.randn(3)).mean() + decoder(x @ x.T[:, :2]).sum()",
    "whole_numbers": f"""z = D.Categorical(logits=encoder(x)).sample()
loss = torch.nn.functional.embedding(z, decoder.weight.T).square().mean() + {KL}""",
    "out_of_a_buffer": f"""buffer = Buffer([q.mean, q.stddev])
z = buffer.sample()
loss = (decoder(z) - x).square().mean() + {KL}""",
    "of_what_does_not_learn": f"z = D.Normal(torch.ones(3, 2), 1.0).sample()\nloss = decoder(z).mean() + {KL}",
}


def _told(lines: str) -> list[str]:
    return [str(each) for each in tv.diagnose(run(PROGRAM.format(lines=lines), torch))]


@pytest.mark.parametrize("name", TOLD)
def test_a_sample_that_is_decoded_lacks_a_gradient(name: str) -> None:
    told = _told(TOLD[name])
    assert told
    assert all(each.startswith("hint:") and "within `sample`" in each and ".rsample()" in each for each in told)


@pytest.mark.parametrize("name", SILENT)
def test_one_that_is_scored_or_has_a_gradient_lacks_none(name: str) -> None:
    assert _told(SILENT[name]) == []
