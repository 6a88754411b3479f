"""The programs as one writes them in NumPy without any tape, each -> its target and gradients: the time to come near.

Scalars are NumPy scalars under Python's operators, arrays are changed in place where nothing needs the old value, and
only what the backward pass reads again is saved.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

Outcome = tuple[Any, list[Any]]
ByHand = Callable[..., Outcome]


def scalar_chain(triples: int, scale: float, shift: float) -> ByHand:
    """sin(x * scale + shift), `triples` times, by x."""
    a, b = np.float32(scale), np.float32(shift)

    def both(x: Any) -> Outcome:
        sin, cos = np.sin, np.cos
        angles = []
        for _ in range(triples):
            angle = x * a + b
            angles.append(angle)
            x = sin(angle)
        slope = np.float32(1)
        for angle in reversed(angles):
            slope = slope * cos(angle) * a
        return x, [slope]

    return both


def vector_chain(triples: int, scale: float, shift: float) -> ByHand:
    """The same on a vector; the cosines take the place of the saved angles."""
    a, b = np.float32(scale), np.float32(shift)

    def both(x: Any) -> Outcome:
        sin, cos = np.sin, np.cos
        angles = []
        for _ in range(triples):
            angle = x * a
            angle += b
            angles.append(angle)
            x = sin(angle)
        slope = np.ones_like(x)
        for angle in reversed(angles):
            slope *= cos(angle, out=angle)
            slope *= a
        return x, [slope]

    return both


def chain_twice(triples: int, scale: float, shift: float) -> ByHand:
    """The chain's second derivative, carried forward beside the value and the first one."""
    a, b = np.float32(scale), np.float32(shift)

    def both(x: Any) -> Outcome:
        sin, cos = np.sin, np.cos
        first, second = np.float32(1), np.float32(0)
        for _ in range(triples):
            angle = x * a + b
            first, second = first * a, second * a
            x, slope = sin(angle), cos(angle)
            second = slope * second - x * first * first
            first = slope * first
        return x, [second]

    return both


def mlp(x: Any, labels: Any, w1: Any, b1: Any, w2: Any, b2: Any, w3: Any, b3: Any) -> Outcome:
    """Dense layers with relu and the mean softmax cross-entropy, by weights and biases."""
    h1 = _dense_relu(x, w1, b1)
    h2 = _dense_relu(h1, w2, b2)
    g = h2 @ w3
    g += b3
    g -= g.max(axis=1, keepdims=True)
    np.exp(g, out=g)
    g /= g.sum(axis=1, keepdims=True)
    rows = np.arange(len(labels))
    loss = -np.log(g[rows, labels]).mean()
    g[rows, labels] -= 1
    g /= np.float32(len(labels))
    g2 = g @ w3.T
    g2 *= h2 > 0
    g1 = g2 @ w2.T
    g1 *= h1 > 0
    return loss, [x.T @ g1, g1.sum(axis=0), h1.T @ g2, g2.sum(axis=0), h2.T @ g, g.sum(axis=0)]


def _dense_relu(x: Any, w: Any, b: Any) -> Any:
    h = x @ w
    h += b
    return np.maximum(h, 0, out=h)


def fan_out(factors: list[float]) -> ByHand:
    """The sum of the products of x and every factor, by x: both are gathered by `stack`, as PyTorch's program does.

    Without it (`np.add.reduce` of the list, which NumPy reads as one array) it takes about a tenth of the time.
    """
    scalars = [np.float32(factor) for factor in factors]

    def both(x: Any) -> Outcome:
        total = np.stack([x * factor for factor in scalars]).sum()
        g = np.float32(1)
        return total, [np.stack([g * factor for factor in scalars]).sum()]

    return both


def matmuls(count: int) -> ByHand:
    """The sum of x @ w @ w @ ... by x and w."""

    def both(x: Any, w: Any) -> Outcome:
        factors = []
        for _ in range(count):
            factors.append(x)
            x = x @ w
        g, by_w = np.ones_like(x), np.zeros_like(w)
        for factor in reversed(factors):
            by_w += factor.T @ g
            g = g @ w.T
        return x, [g, by_w]

    return both


def conv2d(x: Any, w: Any) -> Outcome:
    """The sum of squares of the convolution, by pictures and filters: matrix products of unrolled patches."""
    height, width, channels, filters = w.shape
    patches = sliding_window_view(x, (height, width), axis=(1, 2)).transpose(0, 1, 2, 4, 5, 3)
    batch, rows, columns = patches.shape[:3]
    unrolled, matrix = patches.reshape(-1, height * width * channels), w.reshape(-1, filters)
    out = unrolled @ matrix
    total = np.vdot(out, out)
    out *= 2
    to_patches = (out @ matrix.T).reshape(batch, rows, columns, height, width, channels)
    by_x = np.zeros_like(x)
    for i in range(height):
        for j in range(width):
            by_x[:, i : i + rows, j : j + columns] += to_patches[:, :, :, i, j]
    return total, [by_x, (unrolled.T @ out).reshape(w.shape)]
