"""Ids that a log of TensorFlow knows, against a set."""

from __future__ import annotations

import random

import pytest

pytestmark = pytest.mark.tensorflow


def test_it_is_a_set_of_ids() -> None:
    from tapeviz.recorders.tensorflow.tensor_ids import TensorIdSet

    born = -1000
    known, plain, draw = TensorIdSet(born), set[int](), random.Random(0)
    for _ in range(300):
        several = [born + draw.randint(-20_000, 900) for _ in range(draw.randint(0, 3))]
        known.update(several)
        plain.update(several)
    assert [raw in known for raw in range(born - 25_000, 2)] == [raw in plain for raw in range(born - 25_000, 2)]
