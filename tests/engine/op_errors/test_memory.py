"""What memory has no room for is TensorFlow's error, which itself takes ten seconds to give up: so this is literal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.engine.op_errors.memory import exhausted
from tapeviz.engine.op_errors.reasons import failed

SIDE = 10**7

TOO_LARGE: dict[str, Callable[[], Any]] = {
    "zeros": lambda: tf.zeros([SIDE, SIDE]),
    "ones": lambda: tf.ones([SIDE, SIDE]),
    "eye": lambda: tf.eye(SIDE),
    "normal": lambda: tf.random.normal([SIDE, SIDE]),
    "uniform": lambda: tf.random.uniform([SIDE, SIDE]),
    "stretched": lambda: tf.ones([SIDE, 1]) - tf.ones([SIDE]),
    "product": lambda: tf.matmul(tf.ones([SIDE, 1]), tf.ones([1, SIDE])),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_what_is_too_large_is_told_with_its_shape(name: str) -> None:
    told = r"^OOM when allocating tensor with shape\[10000000,10000000\] and type float\. It would take 372,529\.0 GiB"
    with pytest.raises(tf.errors.ResourceExhaustedError, match=told):
        TOO_LARGE[name]()


def test_a_tape_sees_the_same_error() -> None:
    v = tf.Variable(tf.ones([SIDE]))
    with (
        tf.GradientTape(),
        pytest.raises(tf.errors.ResourceExhaustedError, match=r"shape\[10000000,10000000\]"),
    ):
        v[:, None] * v


@pytest.mark.tensorflow
def test_more_than_can_be_counted(tensorflow: Any) -> None:
    for framework in (tf, tensorflow):
        with pytest.raises(framework.errors.InvalidArgumentError, match=r"would have more than 2\*\*63 - 1 elements"):
            framework.zeros([2**40, 2**40])


def test_an_allocation_of_unknown_shape() -> None:
    assert str(exhausted(MemoryError("no room"))) == "OOM when allocating tensor. no room"


def test_what_a_browser_cannot_count_is_no_error_of_shapes() -> None:
    """There a sum of (100000, 1) and (100000,) is that, and NumPy raises a ValueError."""
    column = np.ones((2, 1), np.float32)
    told = failed("sub", ValueError("iterator is too large"), (column, column[:, 0]))
    assert isinstance(told, tf.errors.ResourceExhaustedError)
