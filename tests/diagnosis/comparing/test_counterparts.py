"""Which source of one program is which of the other."""

from __future__ import annotations

import numpy as np
import pytest

from tapeviz.diagnosis.comparing.counterparts import BY_ANY_TRAIT, BY_NAME, GradientSource, Key, counterparts
from tapeviz.events.summary import Summary


def source(name: str, *shape: int, value: float | None = None) -> GradientSource:
    return GradientSource(name, shape, None if value is None else Summary.of(np.full(shape, value)))


@pytest.mark.parametrize(
    ("one", "other", "keys", "pairs"),
    [
        pytest.param(
            [source("w", 3), source("b", 3)],
            [source("b", 3), source("w", 3)],
            BY_NAME,
            [("w", "w"), ("b", "b")],
            id="names, in any order",
        ),
        pytest.param([source("w", 3)], [source("v", 3)], BY_NAME, [("w", None), (None, "v")], id="names alone"),
        pytest.param(
            [source("w", 3), source("w", 3)], [source("w", 3)], BY_NAME, [("w", "w"), ("w", None)], id="one name twice"
        ),
        pytest.param(
            [source("b1", 4), source("b2", 4)],
            [source("params['b2']", 4), source("params['b1']", 4)],
            BY_ANY_TRAIT,
            [("b1", "params['b1']"), ("b2", "params['b2']")],
            id="the last word",
        ),
        pytest.param(
            [source("model.head.weight", 4, 2), source("model.body.weight", 4, 2)],
            [source("params['body']['weight']", 2, 4), source("params['head']['weight']", 2, 4)],
            BY_ANY_TRAIT,
            [
                ("model.head.weight", "params['head']['weight']"),
                ("model.body.weight", "params['body']['weight']"),
            ],
            id="the last words",
        ),
        pytest.param(
            [source("0.weight", 4, 4, value=1.0), source("1.weight", 4, 4, value=2.0)],
            [source("b/kernel", 4, 4, value=2.00001), source("a/kernel", 4, 4, value=1.0)],
            BY_ANY_TRAIT,
            [("0.weight", "a/kernel"), ("1.weight", "b/kernel")],
            id="what it began with",
        ),
        pytest.param(
            [source("0.weight", 4, 8), source("0.bias", 8), source("1.weight", 4, 8)],
            [source("dense/kernel", 8, 4), source("dense/offset", 1, 8), source("dense_1/kernel", 8, 4)],
            BY_ANY_TRAIT,
            [("0.weight", "dense/kernel"), ("0.bias", "dense/offset"), ("1.weight", "dense_1/kernel")],
            id="its shape, then in order",
        ),
        pytest.param(
            [source("w", 3)], [source("w", 4)], BY_ANY_TRAIT, [("w", "w")], id="one name, whatever the shape is"
        ),
    ],
)
def test_pairs(
    one: list[GradientSource],
    other: list[GradientSource],
    keys: tuple[Key[GradientSource], ...],
    pairs: list[tuple[str | None, str | None]],
) -> None:
    found = counterparts(one, other, keys)
    assert [
        (None if at is None else one[at].name, None if other_at is None else other[other_at].name)
        for at, other_at in found
    ] == pairs
