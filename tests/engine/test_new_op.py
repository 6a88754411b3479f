"""The op that CONTRIBUTING adds in two rows: called, differentiated twice, refused, drawn with its formula."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.engine import op_dtypes
from tapeviz.engine.functions.exports import EXPORTS, export
from tapeviz.engine.functions.math.elementwise import function_of
from tapeviz.engine.ops import OPS, activations
from tapeviz.errors import InvalidArgumentError
from tapeviz.events import catalog
from tapeviz.events.ops import nn
from tapeviz.views.payload import payload
from tests.tf import api_cases

ROOT = Path(__file__).parents[2]
(DIFF,) = re.findall(r"```diff\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.DOTALL)
PARTS = dict(re.findall(r"^--- (\S+)\n((?:[+-][^-].*\n)+)", DIFF, re.MULTILINE))
NAME = "softsign2"


def added(path: str) -> str:
    """The lines that the diff adds to a file."""
    return "\n".join(line[1:] for line in PARTS[path].splitlines() if line.startswith("+"))


@pytest.fixture(scope="module")
def softsign2() -> Iterator[Callable[..., Any]]:
    exec(added("tapeviz/engine/ops/activations.py"), dict(vars(activations)))
    exec(added("tapeviz/events/ops/nn.py"), dict(vars(nn)))
    op, catalog.ROWS[NAME] = OPS[NAME], nn.ROWS[NAME]
    assert op.public is not None
    yield export(*op.public.names.split())(function_of(op, op.public))
    for table in (OPS, catalog.ROWS, nn.ROWS, op_dtypes.TAKES, op_dtypes.ALLOWED):
        del table[NAME]
    del EXPORTS[op.public.names]


def test_it_is_one_row_in_each_of_two_files_and_a_line_of_tests() -> None:
    *package, tests = PARTS
    assert package == ["tapeviz/engine/ops/activations.py", "tapeviz/events/ops/nn.py"]
    assert tests == "tests/tf/api_cases.py"
    assert [line[1:] for line in PARTS[tests].splitlines() if line[0] == "-"] == [
        line for line in Path(str(api_cases.__file__)).read_text(encoding="utf-8").splitlines() if "BEYOND" in line
    ]


def test_both_derivatives_are_the_slopes_of_differences(softsign2: Callable[..., Any]) -> None:
    slopes = tf.check_gradients(softsign2, np.array([0.5, -3.0]), order=2, tolerance=2e-6)
    assert [slope.order for slope in slopes] == [1, 2]


def test_it_is_called_by_the_name_and_the_parameters_of_its_row(softsign2: Callable[..., Any]) -> None:
    assert EXPORTS["nn.softsign2"] is softsign2
    assert softsign2.__name__ == NAME
    assert (softsign2.__doc__ or "").startswith("x / (1 + |x|).\n")
    np.testing.assert_allclose(softsign2(features=[1.0, -3.0], name="s"), [0.5, -0.75])


def test_another_dtype_is_refused(softsign2: Callable[..., Any]) -> None:
    with pytest.raises(InvalidArgumentError, match="softsign2 takes float16, float32, float64 or bfloat16, not int32"):
        softsign2(tf.constant([1]))


def test_it_is_drawn_with_its_formula(softsign2: Callable[..., Any]) -> None:
    x = tf.Variable(0.5)
    with tf.GradientTape() as tape:
        softsign2(x)
    (card,) = [kind for kind in payload(tape.log)["kinds"] if kind["name"] == NAME]
    assert card["formula"]["line"] == "{out} = {(x)} / (1 + |{x}|)"
    assert card["rules"][0]["line"] == "{(g)} / ((1 + |{x}|)^2)"


def test_rules_of_the_diagnosis_know_that_it_saturates(softsign2: Callable[..., Any]) -> None:
    assert NAME in catalog.of_kind("bounded")
