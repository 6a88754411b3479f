"""A gradient that is small where it ends is not one that shrank with depth."""

from __future__ import annotations

import numpy as np

from tests.engine import names as tv

WIDTH = 16


def dense(x: tv.Tensor, w: tv.Variable) -> tv.Tensor:
    return tv.matmul(x, w)


def normalised(x: tv.Tensor) -> tv.Tensor:
    return (x - tv.reduce_mean(x, -1, keepdims=True)) / (tv.math.reduce_std(x, -1, keepdims=True) + 1e-5)


def attention(x: tv.Tensor, query: tv.Variable, key: tv.Variable, value: tv.Variable, out: tv.Variable) -> tv.Tensor:
    h = normalised(x)
    scores = tv.nn.softmax(dense(h, query) @ tv.transpose(dense(h, key)))
    mixed = scores @ dense(h, value)
    for _ in range(4):
        mixed = dense(mixed, out)
    return x + mixed


def causes(flatness: float) -> set[str]:
    """What is found in two blocks of attention whose queries and keys are so small, before a dense layer."""
    random = np.random.default_rng(0)
    blocks = [
        [
            tv.Variable(size * random.normal(size=(WIDTH, WIDTH)), dtype="float32")
            for size in (flatness, flatness, 0.1, 0.1)
        ]
        for _ in range(2)
    ]
    x, w = tv.Variable(random.normal(size=(4, WIDTH)), dtype="float32"), tv.Variable(tv.ones((WIDTH, 1)))
    with tv.record() as log, tv.GradientTape() as tape:
        h = x
        for block in blocks:
            h = attention(h, *block)
        loss = tv.reduce_mean(tv.square(dense(dense(h, tv.eye(WIDTH)), w) - 1.0))
    tape.gradient(loss, [x, w, *blocks[0], *blocks[1]])
    return {finding.cause for finding in tv.diagnose(log)}


def test_queries_of_a_flat_softmax_get_little_in_any_layer() -> None:
    assert "vanishing_depth" not in causes(1e-4)


def of_a_solver(carries: float) -> set[str]:
    """What is found in steps of six stages, each of which hardly moves the next, that leave so much of their state."""
    rate, y0 = tv.Variable(1.0), tv.Variable([1.0])
    with tv.record() as log, tv.GradientTape() as tape:
        y = y0
        for _ in range(8):
            k = rate * y
            for _ in range(5):
                k = rate * (y + 0.02 * k)
            y = carries * y + 0.1 * k
        loss = tv.reduce_sum(y)
    tape.gradient(loss, [rate, y0])
    return {finding.cause for finding in tv.diagnose(log)}


def test_what_goes_around_the_stages_of_a_solver_does_not_shrink() -> None:
    assert of_a_solver(carries=1.0) == set()
    assert of_a_solver(carries=0.05) == {"vanishing_depth"}
