"""The table of dtypes: what is asked for an op without a row is a mistake, not everything."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tapeviz.engine.functions.arguments import number_of, together
from tapeviz.engine.op_dtypes import TAKES
from tapeviz.engine.specs.dtype_sets import EVERY, WIDE


@pytest.mark.parametrize("ask", [lambda: number_of(1.0, "squaer"), lambda: together("concatenated", 1.0, 2.0)])
def test_an_op_without_a_row_is_no_op_that_takes_everything(ask: Callable[[], object]) -> None:
    with pytest.raises(KeyError, match="no row says"):
        ask()


def test_an_op_that_takes_every_dtype_says_so_and_an_attribute_takes_those_of_most_indices() -> None:
    assert TAKES["concat"] == EVERY
    assert TAKES["tile.Tmultiples"] == WIDE
