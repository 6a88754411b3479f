"""Gradient functions of the user's own on the engine's tape, in TensorFlow's names: what is said of their numbers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.diagnosis.custom_functions import BROKEN_TENSORFLOW, TAPEVIZ, own, run


@pytest.mark.parametrize("name", TAPEVIZ)
def test_right_ones_go_unmentioned_and_compute_the_same(name: str) -> None:
    plain, _ = run(TAPEVIZ[name], recorded=False)
    recorded, log = run(TAPEVIZ[name])
    assert own(log) == []
    for one, other in zip(plain["results"], recorded["results"], strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize(("name", "right", "wrong", "says"), BROKEN_TENSORFLOW)
def test_broken_ones_are_named(name: str, right: str, wrong: str, says: str) -> None:
    assert right in TAPEVIZ[name]
    _, log = run(TAPEVIZ[name].replace(right, wrong))
    assert [says in each.message for each in own(log)] == [True], own(log)
