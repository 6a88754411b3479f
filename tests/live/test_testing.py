"""`tv.testing.assert_gradients`: functions of every framework, right and wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.errors import GradientCheckError

X, Y = np.array([0.3, -1.2, 0.7]), np.array([[1.0], [2.0]])


def of_torch(wrong: bool) -> tuple[Any, list[Any]]:
    torch: Any = pytest.importorskip("torch")

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return g * (1 if wrong else 2) * ctx.saved_tensors[0]

    return lambda x, y: {"a": Square.apply(x) * y, "b": x.sum()}, [torch.tensor(X), torch.tensor(Y)]


def of_tensorflow(wrong: bool) -> tuple[Any, list[Any]]:
    tf: Any = pytest.importorskip("tensorflow")

    @tf.custom_gradient
    def square(x):
        return x * x, lambda g: g * (1 if wrong else 2) * x

    return lambda x, y: (square(x) * y, tf.reduce_sum(x)), [tf.constant(X), tf.constant(Y)]


def of_jax(wrong: bool) -> tuple[Any, list[Any]]:
    jax: Any = pytest.importorskip("jax")

    @jax.custom_vjp
    def square(x):
        return x * x

    square.defvjp(lambda x: (x * x, x), lambda x, g: (g * (1 if wrong else 2) * x,))
    return lambda x, y: [square(x) * y], [jax.numpy.asarray(X), jax.numpy.asarray(Y)]


def of_tapeviz(wrong: bool) -> tuple[Any, list[Any]]:
    @tv.custom_gradient
    def square(x):
        return x * x, lambda g: g * (1.0 if wrong else 2.0) * x

    return lambda x, y: square(x) * y, [X, Y]


FRAMEWORKS = [
    pytest.param(of_torch, marks=pytest.mark.torch),
    pytest.param(of_tensorflow, marks=pytest.mark.tensorflow),
    pytest.param(of_jax, marks=pytest.mark.jax),
    of_tapeviz,
]


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_right_gradients_pass_and_wrong_ones_are_named(framework: Any) -> None:
    function, arguments = framework(False)
    found = tv.testing.assert_gradients(function, *arguments)
    assert [each.argument for each in found] == ["x", "y"]
    function, arguments = framework(True)
    with pytest.raises(GradientCheckError, match="with respect to x"):
        tv.testing.assert_gradients(function, *arguments)


@pytest.mark.torch
def test_what_is_not_floating_is_handed_over_as_it_is() -> None:
    torch: Any = pytest.importorskip("torch")
    scores, labels = torch.randn(4, 3, dtype=torch.float64), torch.tensor([0, 2, 1, 1])
    tv.testing.assert_gradients(torch.nn.functional.cross_entropy, scores, labels)


def test_what_is_no_function() -> None:
    with pytest.raises(TypeError, match="assert_gradients"):
        tv.testing.assert_gradients(3.0, lambda x: x)
