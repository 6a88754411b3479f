"""`check_gradients`: what it passes, what it refuses, and what its error says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.errors import GradientCheckError


def test_one_slope_per_argument_and_order() -> None:
    slopes = tf.check_gradients(lambda x, n, y: x**2 * tf.cast(n, "float64") * y, [1.0, 2.0], 3, 0.5)
    assert [(each.argument, each.order) for each in slopes] == [("x", 1), ("y", 1), ("x", 2), ("y", 2)]
    assert all(each.error < 1e-8 for each in slopes)
    assert len(tf.check_gradients(tf.sin, 1.0, order=1)) == 1


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
def test_keeps_the_dtype_of_tensors_and_arrays(dtype: str) -> None:
    met: set[str] = set()

    def f(x: Any) -> Any:
        met.add(x.dtype.name)
        return x * x

    tf.check_gradients(f, tf.constant([0.5, 1.0], dtype))
    tf.check_gradients(f, np.array([0.5, 1.0], dtype))
    assert met == {dtype}


def test_structures_variables_and_integers_come_out() -> None:
    w = tf.Variable(2.0, dtype="float64")
    tf.check_gradients(lambda x: {"a": [w * x, tf.argmax(x)], "b": (tf.gather(x, [0, 0]), 1)}, [1.0, 2.0])


def test_variables_are_checked_as_what_they_hold() -> None:
    w = tf.Variable([1.0, 2.0], dtype="float64")
    tf.check_gradients(lambda v: tf.reduce_prod(v), w)
    assert w.numpy().tolist() == [1.0, 2.0]


def wrong_first() -> Any:
    return tf.custom_gradient(lambda x: (x * x, lambda g: g * x))


def wrong_second() -> Any:
    return tf.custom_gradient(lambda x: (x * x, lambda g: g * 2.0 * tf.stop_gradient(x)))


@pytest.mark.parametrize(("make", "order"), [(wrong_first, 1), (wrong_second, 2)])
def test_a_wrong_gradient_is_named(make: Any, order: int) -> None:
    f = make()
    with pytest.raises(GradientCheckError) as raised:
        tf.check_gradients(lambda first, second: f(first) * second, [1.0, 3.0], 2.0)
    error = raised.value
    assert (error.argument, error.order) == ("first", order)
    assert f"order {order} with respect to first" in str(error)
    assert abs(error.tape - error.numeric) > 0.1
    if order == 2:
        assert tf.check_gradients(f, [1.0, 3.0], order=1)


def test_a_missing_gradient_counts_as_zero() -> None:
    tf.check_gradients(lambda x, y: x + tf.zeros_like(y), 1.0, 2.0)
    with pytest.raises(GradientCheckError) as raised:
        tf.check_gradients(lambda x: tf.stop_gradient(x), 1.0)
    assert raised.value.tape == 0.0


def test_not_a_number_is_no_agreement() -> None:
    with pytest.raises(GradientCheckError, match="nan"):
        tf.check_gradients(tf.sqrt, -1.0)


def test_misuse_is_told() -> None:
    with pytest.raises(ValueError, match="order must be 1 or 2, got 3"):
        tf.check_gradients(tf.sin, 1.0, order=3)
    with pytest.raises(ValueError, match="none of the arguments"):
        tf.check_gradients(tf.identity, [1, 2])
    with pytest.raises(TypeError, match="takes 1 positional argument"):
        tf.check_gradients(lambda x: x, 1.0, 2.0)
