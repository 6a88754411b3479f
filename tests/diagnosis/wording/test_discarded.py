"""What is advised for the branch that a `where` discards makes the gradient finite, at the edges of ops too."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tapeviz.diagnosis.diagnose import diagnose
from tests.diagnosis.programs import run
from tests.engine import names as tf

PROGRAM = """x = tf.Variable({numbers})
with tf.GradientTape() as tape:
    y = tf.where({condition}, {called}({read}), 0.0)
    loss = tf.reduce_sum(y)
gradient = tape.gradient(loss, x)
"""


OF_THE_RESULT = """x = tf.Variable([0.0, 4.0])
with tf.GradientTape() as tape:
    n = tf.math.log({read})
    loss = tf.reduce_sum(tf.where(n > -5.0, n, 0.0))
gradient = tape.gradient(loss, x)
"""


def test_a_condition_on_the_result_is_told_of_what_it_is_made_of() -> None:
    (found,) = diagnose(run(OF_THE_RESULT.format(read="x"), tf))
    [inner] = re.findall(r"`(tf\.where[^`]+)`", found.fix)
    space: dict[str, object] = {"tf": tf}
    exec(OF_THE_RESULT.format(read=inner), space)
    assert np.asarray(space["gradient"]).tolist() == [0.0, 0.25]


@pytest.mark.parametrize(
    ("called", "condition", "numbers"),
    [
        ("tf.acos", "tf.abs(x) < 1.0", "[0.5, 1.0, 3.0]"),
        ("tf.asin", "x < 1.0", "[0.5, 1.0, 3.0]"),
        ("tf.atanh", "x < 1.0", "[0.5, 1.0]"),
        ("tf.acosh", "x > 1.0", "[0.5, 1.0, 3.0]"),
        ("tf.math.log", "x > 0.0", "[0.0, -1.0, 2.0]"),
        ("tf.sqrt", "x >= 0.0", "[0.0, -1.0, 2.0]"),
        ("tf.math.log", "x >= 0.0", "[0.0, -1.0, 2.0]"),
        ("tf.acosh", "x >= 1.0", "[1.0, 0.5, 2.0]"),
        ("tf.acos", "tf.abs(x) <= 1.0", "[0.5, 1.0, 3.0]"),
    ],
)
def test_the_advice_is_followed(called: str, condition: str, numbers: str) -> None:
    program = PROGRAM.format(numbers=numbers, condition=condition, called=called, read="x")
    (found,) = diagnose(run(program, tf))
    assert found.symptom == "nan"
    inner, *_ = re.findall(r"`(tf\.where[^`]+)`", found.fix[found.fix.index("from") :])
    better = re.search(r"let it be `([^`]+)`", found.fix)
    assert bool(better) == ("=" in condition)
    space: dict[str, object] = {"tf": tf}
    exec(
        PROGRAM.format(numbers=numbers, condition=better[1] if better else condition, called=called, read=inner), space
    )
    assert np.isfinite(np.asarray(space["gradient"])).all()
