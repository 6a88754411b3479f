"""Every number of bfloat16, through every elementwise function: TensorFlow's results, to the last of its eight bits."""

from __future__ import annotations

import operator
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tapeviz
from tests.processor import COMPUTES_BFLOAT16
from tests.tf.differential.generated import BINARY, UNARY

pytestmark = pytest.mark.tensorflow

SMALLEST = float(ml_dtypes.finfo(ml_dtypes.bfloat16).smallest_normal)
"""What is smaller, but for 0, TensorFlow takes as 0 now and then."""
EVERY = np.arange(1 << 16, dtype=np.uint16).view(ml_dtypes.bfloat16)
NUMBERS = EVERY[~(np.abs(EVERY.astype(np.float32)) < SMALLEST) | (EVERY.astype(np.float32) == 0)]
STEPS_APART = {"math.reciprocal": 1}
"""Kernels that are coarser than the op they compute: by how many numbers of bfloat16 they are off."""
FACTOR = {"nn.silu": 128, "nn.gelu": 16}
"""By what these multiply, at most, a step that TensorFlow takes as 0."""


def apart(ours: np.ndarray, theirs: np.ndarray) -> int:
    """How many numbers of bfloat16 lie between two results, at most; one NaN is as good as another."""
    assert ours.dtype == theirs.dtype
    if theirs.dtype != ml_dtypes.bfloat16:
        return int(np.count_nonzero(ours != theirs))
    one, other = ours.astype(np.float32), theirs.astype(np.float32)
    assert np.array_equal(np.isnan(one) & ~_tiny(one), np.isnan(other) & ~_tiny(other))
    places = np.abs(_place(ours) - _place(theirs))
    return int(places[~(np.isnan(other) | _tiny(one) | _tiny(other))].max(initial=0))


def _tiny(numbers: np.ndarray) -> np.ndarray:
    return (np.abs(numbers) < SMALLEST) & (numbers != 0)


def _place(numbers: np.ndarray) -> np.ndarray:
    """Where numbers stand among all of bfloat16."""
    bits = numbers.view(np.int16).astype(np.int32)
    return np.where(bits < 0, -(bits & 0x7FFF), bits)


def _function(tf: Any, name: str) -> Any:
    return operator.attrgetter(name)(tf)


def _takes_it(name: str, arguments: int) -> bool:
    """Whether the function is for bfloat16: what it says to other dtypes is tested beside all of them."""
    try:
        _function(tapeviz, name)(*[tapeviz.ones(1, tapeviz.bfloat16)] * arguments)
    except (TypeError, tapeviz.errors.OpError):
        return False
    return True


@pytest.mark.parametrize("name", [name for name in UNARY if _takes_it(name, 1)])
def test_every_number(name: str, tensorflow: ModuleType) -> None:
    ours, theirs = (_function(tf, name)(tf.constant(NUMBERS)).numpy() for tf in (tapeviz, tensorflow))
    tiny = SMALLEST * FACTOR.get(name, 1)
    flushed = (np.abs(ours.astype(np.float32)) <= tiny) & (theirs.astype(np.float32) == 0)
    assert apart(ours[~flushed], theirs[~flushed]) <= STEPS_APART.get(name, 0)


@pytest.mark.parametrize("name", [name for name in BINARY if _takes_it(name, 2)])
def test_pairs_of_numbers_give_what_tensorflow_gives(name: str, tensorflow: ModuleType) -> None:
    drawn = np.random.default_rng(0).normal(size=(2, 20_000)) * 5
    x, y = np.abs(drawn) if name in ("pow", "math.xlogy") else drawn
    ours, theirs = (
        _function(tf, name)(tf.constant(x, tf.bfloat16), tf.constant(y, tf.bfloat16)).numpy()
        for tf in (tapeviz, tensorflow)
    )
    assert apart(ours, theirs) == 0


SUMS = ("reduce_sum", "reduce_mean", "reduce_max", "reduce_logsumexp", "math.reduce_euclidean_norm", "cumsum")
NO_FURTHER = {"math.reduce_variance": 1, "nn.log_softmax": 2}


@pytest.mark.parametrize("name", [*SUMS, "math.cumprod", "nn.softmax", *NO_FURTHER])
def test_many_numbers_at_once(name: str, tensorflow: ModuleType) -> None:
    if name == "nn.softmax" and not COMPUTES_BFLOAT16:
        pytest.skip("on this processor TensorFlow's softmax of bfloat16 rounds every step")
    rows = np.random.default_rng(0).normal(size=(400, 40))
    ours, theirs = (
        _function(tf, name)(tf.constant(rows, tf.bfloat16), axis=-1).numpy() for tf in (tapeviz, tensorflow)
    )
    assert apart(ours, theirs) <= NO_FURTHER.get(name, 0)


@pytest.mark.parametrize("name", ["tanh", "exp", "nn.softsign", "math.rsqrt", "math.log1p", "sin", "nn.elu"])
def test_slopes_are_rounded_op_by_op(name: str, tensorflow: ModuleType) -> None:
    def slope(tf: Any) -> np.ndarray:
        x = tf.constant(np.linspace(0.01, 8, 1000), tf.bfloat16)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = _function(tf, name)(0.3 * x)
        return tape.gradient(y, x).numpy()

    assert apart(slope(tapeviz), slope(tensorflow)) == 0


@pytest.mark.parametrize("most", [0.5, 8.0])
def test_the_slope_of_a_loss_is_rounded_once(most: float, tensorflow: ModuleType) -> None:
    """Where a prediction is nearly right, its slope is a small difference of numbers near 1."""
    logits = np.random.default_rng(0).uniform(-most, most, (50, 10))
    labels = np.eye(10)[logits.argmax(-1)]

    def slope(tf: Any) -> np.ndarray:
        x = tf.constant(logits, tf.bfloat16)
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.nn.softmax_cross_entropy_with_logits(labels=tf.constant(labels, tf.bfloat16), logits=x)
        return tape.gradient(loss, x).numpy()

    assert apart(slope(tapeviz), slope(tensorflow)) == 0


def test_a_softmax_is_the_exact_one_rounded_once() -> None:
    rows = np.random.default_rng(0).normal(size=(400, 40)).astype(ml_dtypes.bfloat16)
    powers = np.exp(rows.astype(np.float64) - rows.astype(np.float64).max(axis=-1, keepdims=True))
    exact = powers / powers.sum(axis=-1, keepdims=True)
    ours = tapeviz.nn.softmax(tapeviz.constant(rows), axis=-1).numpy()
    assert apart(ours, exact.astype(ml_dtypes.bfloat16)) == 0
