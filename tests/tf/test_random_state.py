"""Seeds: the same calls after the same seed draw the same numbers, by TensorFlow's rules."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.tf.random_state import Seeds


@pytest.fixture(autouse=True)
def _as_it_was() -> object:
    chosen, drawn = Seeds.chosen, Seeds.drawn.copy()
    yield
    Seeds.chosen = chosen
    Seeds.drawn.clear()
    Seeds.drawn.update(drawn)


def _draws() -> list[np.ndarray]:
    return [
        tf.random.normal([3]).numpy(),
        tf.random.normal([3]).numpy(),
        tf.random.normal([3], seed=5).numpy(),
        tf.random.uniform([3]).numpy(),
        tf.random.normal([3], seed=5).numpy(),
        tf.nn.dropout(tf.ones([20]), 0.5).numpy(),
    ]


def test_a_seed_starts_the_numbers_over() -> None:
    tf.random.set_seed(3)
    first = _draws()
    tf.random.set_seed(3)
    for one, other in zip(first, _draws(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_calls_after_a_seed_differ_from_each_other() -> None:
    tf.random.set_seed(3)
    a, b, c, _, d, _ = _draws()
    assert len({tuple(each) for each in (a, b, c, d)}) == 4


def test_another_seed_gives_other_numbers() -> None:
    tf.random.set_seed(3)
    first = _draws()[0]
    tf.random.set_seed(4)
    assert (first != _draws()[0]).all()


def test_without_a_seed_runs_differ() -> None:
    Seeds.chosen = None
    assert (tf.random.normal([3]).numpy() != tf.random.normal([3]).numpy()).all()


def test_what_is_drawn_in_between_with_a_seed_of_its_own_does_not_count() -> None:
    tf.random.set_seed(3)
    tf.random.normal([1], seed=9)
    after = tf.random.normal([3]).numpy()
    tf.random.set_seed(3)
    np.testing.assert_array_equal(after, tf.random.normal([3]).numpy())


def test_numbers_are_distributed_as_asked() -> None:
    tf.random.set_seed(0)
    normal = tf.random.normal([20_000], 3.0, 2.0).numpy()
    assert normal.mean() == pytest.approx(3.0, abs=0.05)
    assert normal.std() == pytest.approx(2.0, abs=0.05)
    uniform = tf.random.uniform([20_000], -1.0, 3.0).numpy()
    assert uniform.min() >= -1.0
    assert uniform.max() < 3.0
    assert uniform.mean() == pytest.approx(1.0, abs=0.05)
    assert np.abs(tf.random.truncated_normal([20_000]).numpy()).max() <= 2.0
    assert set(tf.random.uniform([200], 0, 3, tf.int32).numpy()) == {0, 1, 2}
    kept = tf.nn.dropout(tf.ones([20_000]), 0.25).numpy()
    assert set(np.unique(kept)) == {np.float32(0), np.float32(1 / 0.75)}
    assert (kept == 0).mean() == pytest.approx(0.25, abs=0.02)
    drawn = tf.random.categorical([[0.0, np.log(3.0)]], 20_000).numpy()
    assert drawn.mean() == pytest.approx(0.75, abs=0.02)
    assert sorted(tf.random.shuffle([1, 2, 3]).numpy()) == [1, 2, 3]


def test_a_gradient_flows_to_mean_and_deviation_of_noise() -> None:
    mean, spread = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        noise = tf.random.normal([4], mean, spread)
        total = tf.reduce_sum(noise)
    first, second = tape.gradient(total, [mean, spread])
    assert float(first) == 4.0
    # The sum can be near zero: its rounding is that of its terms.
    assert float(second) == pytest.approx(float(tf.reduce_sum((noise - mean) / spread)), abs=1e-6)


def test_numbers_without_a_seed_of_their_own_leave_nothing_behind() -> None:
    tf.random.set_seed(1)
    before = len(Seeds.drawn)
    for _ in range(100):
        tf.random.normal([2])
    assert len(Seeds.drawn) == before
