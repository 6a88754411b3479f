"""The last digits of few numbers: values and gradients are TensorFlow's very bits, not only close to them.

Left out is what needs the reciprocal of a register, of which the processor gives TensorFlow only an approximation: the
gradients of logarithms and the like, of arrays of eight numbers and more, in float32. So are powers of registers in
float64, and more than two contributions to a gradient, which TensorFlow sums in the order of its own backward pass.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import tapeviz
from tests.engine.kernels.bits import ON_TENSORFLOWS_MACHINE, same_bits, tf

pytestmark = [pytest.mark.tensorflow, ON_TENSORFLOWS_MACHINE]

Function = Callable[[Any, Any], Any]
ANY = ((), (3,), (2, 3), (4, 4), (21,), (32,))
FEWER = ((), (3,), (2, 3))
LEFT_OVER = ((), (3,))
ROWS = ((1, 3), (2, 3), (4, 5), (8, 3), (2, 16))

OF_NUMBERS: dict[str, Function] = {
    "exp": lambda tf, x: tf.exp(x),
    "expm1": lambda tf, x: tf.math.expm1(x),
    "sin": lambda tf, x: tf.sin(x) if x.shape else tf.sin(tf.stack([x])),
    "cos": lambda tf, x: tf.cos(x) if x.shape else tf.cos(tf.stack([x])),
    "sinh": lambda tf, x: tf.sinh(x),
    "cosh": lambda tf, x: tf.cosh(x),
    "asinh": lambda tf, x: tf.asinh(x),
    "tanh": lambda tf, x: tf.tanh(x),
    "sigmoid": lambda tf, x: tf.sigmoid(x),
    "softplus": lambda tf, x: tf.nn.softplus(x),
    "log_sigmoid": lambda tf, x: tf.math.log_sigmoid(x),
    "elu": lambda tf, x: tf.nn.elu(x),
    "selu": lambda tf, x: tf.nn.selu(x),
    "silu": lambda tf, x: tf.nn.silu(x),
    "erf": lambda tf, x: 0.3 * tf.math.erf(x),
    "lgamma": lambda tf, x: 0.3 * tf.math.lgamma(tf.abs(x) + 0.1),
    "digamma": lambda tf, x: 0.3 * tf.math.digamma(x),
    "atan2": lambda tf, x: 0.3 * tf.atan2(x, 4.0),
    "a product of functions": lambda tf, x: tf.tanh(x) * tf.sigmoid(2.0 * x),
    "a mean of squares": lambda tf, x: tf.reduce_mean(tf.square(x - 1.0)),
    "a sum": lambda tf, x: tf.reduce_sum(tf.exp(x)),
    "a product": lambda tf, x: tf.reduce_prod(x),
    "a norm": lambda tf, x: tf.norm(x),
    "a variance": lambda tf, x: tf.math.reduce_variance(x),
}
POWERS: dict[str, Function] = {
    "a square": lambda tf, x: 0.3 * x**2,
    "a cube": lambda tf, x: 0.3 * x**3,
    "a root": lambda tf, x: 0.3 * (tf.abs(x) + 0.1) ** 0.5,
    "an inverse": lambda tf, x: 0.3 * x**-1,
    "a power of 2": lambda tf, x: 0.3 * 2**x,
    "a power of itself": lambda tf, x: (tf.abs(x) + 0.1) ** x,
}
RECIPROCALS: dict[str, Function] = {
    "log": lambda tf, x: tf.math.log(tf.abs(x)),
    "log1p": lambda tf, x: tf.math.log1p(tf.abs(x)),
    "tan": lambda tf, x: tf.tan(x),
    "asin": lambda tf, x: tf.asin(x / 4.0),
    "acos": lambda tf, x: tf.acos(x / 4.0),
    "atan": lambda tf, x: tf.atan(x),
    "atanh": lambda tf, x: tf.atanh(x / 4.0),
    "the log of a sigmoid": lambda tf, x: -tf.math.log(tf.sigmoid(x)),
    "a logistic loss": lambda tf, x: tf.nn.sigmoid_cross_entropy_with_logits(tf.ones_like(x) / 3.0, x),
}
OF_ROWS: dict[str, Function] = {
    "softmax": lambda tf, x: tf.nn.softmax(x),
    "softmax, weighted": lambda tf, x: tf.nn.softmax(x)[:, 0],
    "log_softmax": lambda tf, x: tf.nn.log_softmax(x),
    "sums of columns": lambda tf, x: tf.reduce_sum(tf.exp(x), 0),
    "means of rows": lambda tf, x: tf.reduce_mean(tf.sin(x), 1),
    "cross-entropy": lambda tf, x: tf.nn.softmax_cross_entropy_with_logits(
        tf.one_hot([0] * x.shape[0], x.shape[1], dtype=x.dtype), x
    ),
    "sparse cross-entropy": lambda tf, x: tf.nn.sparse_softmax_cross_entropy_with_logits([1] * x.shape[0], x),
    "keras' mean squared error": lambda tf, x: tf.keras.losses.MeanSquaredError()(tf.zeros_like(x), x),
    "keras' binary cross-entropy": lambda tf, x: tf.keras.losses.BinaryCrossentropy(from_logits=True)(
        tf.ones_like(x[0, :7]), x[0, :7]
    ),
    "keras' cross-entropy": lambda tf, x: tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)(
        tf.constant([1] * x.shape[0]), x
    ),
    "log-sum-exp": lambda tf, x: tf.reduce_logsumexp(x[:7], 1),
    "standard deviations": lambda tf, x: tf.math.reduce_std(x),
}
OF_MATRICES: dict[str, Function] = {
    "a determinant": lambda tf, x: tf.linalg.det(x),
    "a determinant's logarithm": lambda tf, x: tf.linalg.slogdet(x)[1],
    "a solution": lambda tf, x: tf.linalg.solve(x, tf.ones_like(x)[..., :1]),
}
BY_PRODUCTS: dict[str, Function] = {
    "an inverse": lambda tf, x: tf.linalg.inv(x),
    "a solution by a triangle": lambda tf, x: tf.linalg.triangular_solve(x, x, lower=False),
    "Cholesky factors": lambda tf, x: tf.linalg.cholesky(tf.linalg.diag(x[..., 0] + 9.0) + x),
}
"""Their gradients are products of matrices, whose last digits may differ."""


def _value_and_gradient(tf: ModuleType, function: Function, x: Any) -> tuple[Any, Any]:
    tensor = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(tensor)
        y = function(tf, tensor)
    return y.numpy(), tape.gradient(y, tensor).numpy()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        *(pytest.param(function, (ANY, ANY), id=name) for name, function in OF_NUMBERS.items()),
        *(pytest.param(function, (ANY, LEFT_OVER), id=name) for name, function in POWERS.items()),
        *(pytest.param(function, (FEWER, ANY), id=name) for name, function in RECIPROCALS.items()),
        *(pytest.param(function, (ROWS, ROWS), id=name) for name, function in OF_ROWS.items()),
    ],
)
def test_few_numbers_have_the_bits_of_tensorflows(function: Function, shapes: Any, dtype: str) -> None:
    rng = np.random.default_rng(0)
    for shape in shapes[dtype == "float64"]:
        for _ in range(5):
            x = rng.uniform(-3, 3, shape).astype(dtype)
            ours = _value_and_gradient(tapeviz, function, x)
            theirs = _value_and_gradient(tf, function, x)
            for mine, yours in zip(ours, theirs, strict=True):
                same_bits(mine, yours)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (3, 3), (5, 5), (2, 3, 3)])
@pytest.mark.parametrize("name", [*OF_MATRICES, *BY_PRODUCTS])
def test_small_matrices_have_the_bits_of_tensorflows(name: str, shape: tuple[int, ...], dtype: str) -> None:
    rng = np.random.default_rng(0)
    for _ in range(5):
        x = rng.uniform(-3, 3, shape).astype(dtype)
        ours = _value_and_gradient(tapeviz, {**OF_MATRICES, **BY_PRODUCTS}[name], x)
        theirs = _value_and_gradient(tf, {**OF_MATRICES, **BY_PRODUCTS}[name], x)
        for mine, yours in list(zip(ours, theirs, strict=True))[: 2 if name in OF_MATRICES else 1]:
            same_bits(mine, yours)
