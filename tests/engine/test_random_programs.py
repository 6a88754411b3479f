"""Random programs of 5 to 60 ops with broadcasting, run by tapeviz and by TensorFlow: values, gradients, None or not.

Every template keeps numbers within [-2, 2], so that a long program stays well conditioned, and its result has a shape
that broadcasts against all others. Where a template compares numbers with each other it first sets them apart: two
libraries may differ in the last bit, and a tie decides where a gradient goes. Where it rounds, it first moves away from
whole numbers, for the same reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tapeviz

pytestmark = pytest.mark.tensorflow

TEMPLATES = """
0.5 * (x + y)
0.5 * (x - y)
0.5 * x * y
x / (2.0 + tf.square(y))
tf.maximum(x, y)
tf.minimum(x, y)
tf.where(x > y, x, y)
tf.where(x > 0.0, y, tf.zeros_like(y))
0.25 * tf.math.squared_difference(x, y) - 1.0
tf.tanh(x) * tf.sigmoid(y)
0.3 * tf.pow(tf.abs(x) + 0.5, y * 0.5)
tf.math.atan2(x, 2.5 + y)
tf.sin(x)
tf.cos(x)
tf.exp(-tf.square(x))
tf.sqrt(tf.abs(x) + 0.1)
tf.math.log1p(tf.square(x))
tf.math.rsqrt(1.0 + x * x)
tf.nn.relu(x)
tf.nn.leaky_relu(x)
tf.nn.elu(x)
tf.nn.softplus(x) - 0.5
tf.math.erf(x)
tf.abs(x) - 1.0
-x
x ** 2 - 1.0
(x + 0.137) % 1.0
tf.floor(x + 0.137)
tf.sign(x)
tf.stop_gradient(x)
tf.identity(x)
tf.clip_by_value(x, -0.5, 0.75)
tf.cast(tf.cast(x, tf.float32), tf.float64)
tf.cast(tf.cast(x + 0.137, tf.int32), tf.float64)
tf.reduce_mean(x)
tf.reduce_mean(x, axis=-1, keepdims=True) if x.shape.rank else x
tf.reduce_max(x + tf.constant([0.0, 0.37, -0.51], tf.float64), axis=-1, keepdims=True)
tf.tanh(tf.reduce_sum(x))
tf.nn.softmax(x) if x.shape.rank else x
tf.reduce_logsumexp(x, axis=-1, keepdims=True) - 1.5 if x.shape.rank else x
tf.math.reduce_std(x + tf.constant([0.1, 0.5, 0.3], tf.float64), axis=-1, keepdims=True)
x[..., :1] if x.shape.rank else x
x[0] if x.shape.rank else x
tf.reverse(x, [0]) if x.shape.rank else x
tf.stack([x, -x])[1]
tf.concat([x, x], 0)[:1] if x.shape.rank else x
tf.unstack(x)[0] if x.shape.rank else x
tf.gather(x, [0], axis=-1) if x.shape.rank else x
tf.reshape(x, [-1])[:1]
tf.sort(x + tf.constant([0.0, 0.37, -0.51], tf.float64)) * 0.7
0.3 * tf.cumsum(x) if x.shape.rank else x
tf.transpose(tf.transpose(x))
tf.tanh(tf.matmul(x, x, transpose_b=True)[:1, :1]) if x.shape.rank == 2 else x
tf.tanh(tf.tensordot(x, x, [[-1], [-1]])) if x.shape.rank == 1 else x
tf.tile(x, [1] * x.shape.rank) if x.shape.rank else x
tf.squeeze(tf.expand_dims(x, 0), 0)
tf.clip_by_norm(x, 1.5)
tf.nn.l2_normalize(x + 0.01, axis=-1) if x.shape.rank else x
""".strip().splitlines()

SHAPES = [(), (3,), (2, 3), (2, 1), (1, 3)]


@dataclass(frozen=True)
class Program:
    """Sources by shape and by kind, then steps: a template and which earlier values its x and y are."""

    sources: tuple[tuple[tuple[int, ...], str], ...]
    steps: tuple[tuple[str, int, int], ...]
    seed: int

    def __str__(self) -> str:
        return "\n".join(f"{i}: {text}  [x={x}, y={y}]" for i, (text, x, y) in enumerate(self.steps))


@st.composite
def programs(draw: Any) -> Program:
    kinds = st.sampled_from(["variable", "watched", "constant"])
    sources = draw(st.lists(st.tuples(st.sampled_from(SHAPES), kinds), min_size=2, max_size=4))
    count = draw(st.integers(5, 60))
    steps = []
    for i in range(count):
        # mostly recent values, so that programs are deep as well as wide
        last = len(sources) + i - 1
        x = last - draw(st.integers(0, min(last, 3)))
        steps.append((draw(st.sampled_from(TEMPLATES)), x, draw(st.integers(0, last))))
    return Program(tuple(sources), tuple(steps), draw(st.integers(0, 99)))


def _run(program: Program, tf: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """Every value, the gradient at every source and intermediate, the second derivative at every source."""
    numbers = np.random.default_rng(program.seed)
    values: list[Any] = []
    arrays = [numbers.uniform(-1.5, 1.5, shape) for shape, _ in program.sources]
    with tf.GradientTape(persistent=True) as outer, tf.GradientTape(persistent=True) as tape:
        for array, (_, kind) in zip(arrays, program.sources, strict=True):
            values.append(tf.Variable(array) if kind == "variable" else tf.constant(array))
            if kind == "watched":
                outer.watch(values[-1])
                tape.watch(values[-1])
        for text, x, y in program.steps:
            values.append(eval(text, {"tf": tf, "x": values[x], "y": values[y]}))
        target = sum(tf.reduce_sum(value) for value in values[-3:])
        first = tape.gradient(target, values)
        slopes = [tf.reduce_sum(g * 0.75) for g in first[: len(program.sources)] if g is not None]
        total = sum(slopes[1:], slopes[0]) if slopes else None
    second = outer.gradient(total, values[: len(program.sources)]) if slopes else []
    return values, first, second


def _compare(ours: list[Any], theirs: list[Any], what: str, program: Program) -> None:
    for i, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        note = f"{what} {i} of\n{program}"
        assert (one is None) == (other is None), note
        if other is not None:
            expected = np.asarray(other)
            assert np.asarray(one).dtype == expected.dtype, note
            np.testing.assert_allclose(np.asarray(one), expected, rtol=1e-5, atol=1e-6, err_msg=note)


@given(programs())
def test_random_program_agrees_with_tensorflow(program: Program) -> None:
    tensorflow = pytest.importorskip("tensorflow")
    ours, theirs = _run(program, tapeviz), _run(program, tensorflow)
    for what, one, other in zip(("value", "gradient", "second derivative"), ours, theirs, strict=True):
        _compare(one, other, what, program)
