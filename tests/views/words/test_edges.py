"""An op tells the edges of its domain that it can meet, and no other."""

from __future__ import annotations

from typing import Any

import pytest

from tapeviz.views.payload import payload
from tests.engine import names as tv


def edges(program: str, **names: Any) -> list[str]:
    """The edges of the last op of an expression."""
    with tv.record() as log:
        result = eval(program, {"tv": tv}, {"x": tv.Variable([1.0, 2.0]), "y": tv.Variable(2.0), **names})
    assert result is not None
    return payload(log)["kinds"][-1]["edges"]


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("x ** 2.0", []),
        ("x ** 0.5", ["{x} = 0: the derivative in {x} is infinite", "{x} < 0: NaN"]),
        ("x ** -1.0", ["{x} = 0: the derivative in {x} is infinite"]),
        ("2.0 ** x", []),
        ("x / 2.0", []),
        ("x / 0.0", ["{y} = 0: the quotient is infinite or NaN"]),
        ("x / y", ["{y} = 0: the quotient is infinite or NaN"]),
        ("tv.reduce_mean(x)", []),
        ("tv.reduce_mean(x[:0])", ["{x} is empty: NaN"]),
        ("tv.math.log(x)", ["{x} = 0: minus infinity, and an infinite derivative", "{x} < 0: NaN"]),
        ("tv.nn.relu(x)", ["{x} = 0: the derivative is taken as 0"]),
    ],
)
def test_what_numbers_and_shapes_rule_out_is_not_told(program: str, told: list[str]) -> None:
    assert edges(program) == told


def test_an_exponent_that_is_a_tensor_leaves_all_open() -> None:
    conditions = [each.partition(":")[0] for each in edges("x ** y")]
    assert conditions == ["{x} = 0 and {y} < 1", "{x} < 0 and {y} is not an integer", "{x} <= 0"]


@pytest.mark.torch
def test_it_holds_for_the_ops_of_a_framework() -> None:
    import torch

    assert edges("t ** 2", t=torch.ones(2, requires_grad=True)) == []
