"""From a gradient to a new weight by formulas: what the engine's optimizers write, which the formulas do not see."""

from __future__ import annotations

import pytest

from tests.views.reports.updates import are_as_computed, drawn_of_keras, trained_by_the_engine


@pytest.mark.parametrize("seed", range(12))
def test_the_formulas_give_the_new_weight_of_the_engine_to_the_last_bit(seed: int) -> None:
    are_as_computed(trained_by_the_engine(seed), "engine", drawn_of_keras(seed))
