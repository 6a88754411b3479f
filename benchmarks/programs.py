"""Sizes -> programs: each written once in the words that all frameworks share, and once more in NumPy by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks import by_hand

SCALE, SHIFT = 1.0001, 1e-6
"""Of the chain's multiply and add: its gradient neither vanishes nor grows over 100,000 ops."""


@dataclass(frozen=True)
class Program:
    """What is differentiated: the sum of `forward(words, *inputs, *variables)` by every variable.

    `by_hand(*inputs, *variables)` returns the target and the same gradients; `ops` counts the forward program's. With
    `order=2` it is the derivative of the derivative, of one scalar by one scalar.
    """

    title: str
    ops: int
    forward: Callable[..., Any]
    by_hand: by_hand.ByHand
    variables: list[Any]
    inputs: tuple[Any, ...] = ()
    order: int = 1


def chain(ops: int = 999) -> Program:
    """`ops` ops on one scalar: multiply, add, sin, and again."""
    return _chain(f"chain of {ops:,} scalar ops (multiply, add, sin)", ops, by_hand.scalar_chain, np.float32(0.5))


def vector_chain(ops: int = 999, size: int = 1024) -> Program:
    """The chain on a vector."""
    start = np.linspace(-1, 1, size, dtype=np.float32)
    return _chain(f"the same chain on {size:,}-vectors", ops, by_hand.vector_chain, start)


def second_derivative(ops: int = 99) -> Program:
    """The chain's second derivative."""
    title = f"second derivative of a chain of {ops:,} scalar ops"
    return _chain(title, ops, by_hand.chain_twice, np.float32(0.5), order=2)


def _chain(
    title: str, ops: int, in_numpy: Callable[[int, float, float], by_hand.ByHand], start: Any, order: int = 1
) -> Program:
    """A chain from `start`: multiply, add, sin, and again; `in_numpy` makes the same of as many rounds."""
    rounds = ops // 3

    def forward(words: Any, x: Any) -> Any:
        sin = words.sin
        for _ in range(rounds):
            x = sin(x * SCALE + SHIFT)
        return x

    return Program(title, ops, forward, in_numpy(rounds, SCALE, SHIFT), [start], order=order)


def mlp(batch: int = 64, sizes: tuple[int, ...] = (784, 256, 256, 10)) -> Program:
    """The gradients of a training step: three dense layers, relu, sparse softmax cross-entropy."""
    random = np.random.default_rng(0)
    variables: list[Any] = []
    for rows, columns in pairwise(sizes):
        variables.append(random.standard_normal((rows, columns), np.float32) / np.float32(np.sqrt(rows)))
        variables.append(np.zeros(columns, np.float32))

    def forward(words: Any, x: Any, labels: Any, w1: Any, b1: Any, w2: Any, b2: Any, w3: Any, b3: Any) -> Any:
        h1 = words.relu(words.matmul(x, w1) + b1)
        h2 = words.relu(words.matmul(h1, w2) + b2)
        return words.cross_entropy(words.matmul(h2, w3) + b3, labels)

    return Program(
        title=f"MLP step, batch {batch:,}, {'-'.join(map(str, sizes))}",
        ops=10,
        forward=forward,
        by_hand=by_hand.mlp,
        variables=variables,
        inputs=(random.standard_normal((batch, sizes[0]), np.float32), random.integers(0, sizes[-1], batch)),
    )


def fan_out(uses: int = 10_000) -> Program:
    """One scalar is multiplied by `uses` numbers, and the products are summed."""
    factors = [1 + each / uses for each in range(uses)]

    def forward(words: Any, x: Any) -> Any:
        return words.add_n([x * factor for factor in factors])

    return Program(
        title=f"one source used {uses:,} times",
        ops=uses,
        forward=forward,
        by_hand=by_hand.fan_out(factors),
        variables=[np.float32(0.5)],
    )


def matmuls(count: int = 200, size: int = 64) -> Program:
    """x is multiplied by the same matrix `count` times; the matrix is orthogonal, so that x keeps its length."""
    random = np.random.default_rng(0)
    rotation = np.linalg.qr(random.standard_normal((size, size)))[0].astype(np.float32)

    def forward(words: Any, x: Any, w: Any) -> Any:
        matmul = words.matmul
        for _ in range(count):
            x = matmul(x, w)
        return x

    return Program(
        title=f"{count} matmuls of {size}x{size}",
        ops=count,
        forward=forward,
        by_hand=by_hand.matmuls(count),
        variables=[random.standard_normal((size, size), np.float32), rotation],
    )


def conv2d(batch: int = 8, size: int = 28, filters: int = 16) -> Program:
    """Pictures of one channel meet 3x3 filters without padding; the target is the sum of squares."""
    random = np.random.default_rng(0)

    def forward(words: Any, x: Any, w: Any) -> Any:
        return words.sum_of_squares(words.conv2d(x, w))

    return Program(
        title=f"conv2d {batch}x{size}x{size}x1 * 3x3x1x{filters} VALID, sum of squares",
        ops=3,
        forward=forward,
        by_hand=by_hand.conv2d,
        variables=[
            random.standard_normal((batch, size, size, 1), np.float32),
            random.standard_normal((3, 3, 1, filters), np.float32),
        ],
    )


PROGRAMS: dict[str, Callable[..., Program]] = {
    each.__name__: each for each in (chain, vector_chain, mlp, fan_out, matmuls, conv2d, second_derivative)
}
