"""Attention weights that no op keeps, computed from query and key."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.views.payload import payload
from tapeviz.views.payload.attention import weights
from tapeviz.views.reading import read

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


def recorded(options: dict[str, Any], heads: int = 2) -> tuple[Any, Any]:
    """A recording of one fused attention, and the weights that it must have had."""
    torch.manual_seed(0)
    query = torch.randn(2, 2, 4, 8, requires_grad=True)
    key, value = (torch.randn(2, heads, 5, 8) for _ in range(2))
    with tv.record() as log:
        torch.nn.functional.scaled_dot_product_attention(query, key, value, **options).sum().backward()
    scale = options.get("scale", 1 / math.sqrt(8))
    scores = scale * query @ key.repeat_interleave(2 // heads, 1).transpose(-1, -2)
    mask = options.get("attn_mask")
    if options.get("is_causal"):
        mask = torch.ones(4, 5, dtype=torch.bool).tril()
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf) if mask.dtype == torch.bool else scores + mask
    return log, torch.softmax(scores, -1).detach().numpy()


CASES: dict[str, tuple[dict[str, Any], int, str]] = {
    "plain": ({}, 2, "softmax(q kᵀ / √8)."),
    "causal": ({"is_causal": True}, 2, "softmax(q kᵀ / √8), causal."),
    "a scale": ({"scale": 0.3}, 2, "softmax(0.3 q kᵀ)."),
    "a mask that is added": (
        {"attn_mask": torch.linspace(-3.0, 3.0, 20).reshape(4, 5)},
        2,
        "softmax(q kᵀ / √8), masked.",
    ),
    "a mask of truths": ({"attn_mask": (torch.arange(5) < 3).expand(4, 5)}, 2, "softmax(q kᵀ / √8), masked."),
    "dropout": ({"dropout_p": 0.5}, 2, "softmax(q kᵀ / √8), before dropout."),
    "heads that share a key": ({"enable_gqa": True}, 1, "softmax(q kᵀ / √8)."),
}


@pytest.mark.parametrize("case", CASES)
def test_they_are_those_of_the_op(case: str) -> None:
    options, heads, words = CASES[case]
    log, wanted = recorded(options, heads)
    reading = read(log)
    [position] = [at for at, op in reading.graph.ops.items() if op.op == "attention"]
    found = weights(reading, reading.graph.ops[position])
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-7)
    card = payload(log)["attentions"][str(position)]
    assert card["words"].endswith(words)
    assert card["grid"]["names"] == ["batch", "head", "query", "key"]


def test_without_numbers_it_is_said_that_none_are_kept() -> None:
    log, _ = recorded({})
    [card] = payload(log, values=False)["attentions"].values()
    assert "keeps none, and the numbers of" in card["words"]
    assert card["grid"] is None


def test_too_many_are_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tapeviz.views.payload.attention.MOST_COMPUTED", 79)
    log, _ = recorded({})
    [card] = payload(log)["attentions"].values()
    assert "too many to compute" in card["words"]
    assert card["grid"] is None
