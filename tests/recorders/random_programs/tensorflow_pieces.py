"""Pieces of TensorFlow programs: functions of a vector that give one, by transforms, custom gradients and bridges."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

Tensor = Any


def shape_of(x: Tensor) -> Tensor:
    """What most pieces differentiate: smooth, and another number for each entry."""
    return tf.sin(x) * 0.5 + x * x * 0.1


def total(x: Tensor) -> Tensor:
    return tf.reduce_sum(shape_of(x) * tf.tanh(x))


# ----- tapes inside -----


def gradient_inside(x: Tensor) -> Tensor:
    with tf.GradientTape() as inner:
        inner.watch(x)
        value = total(x)
    return inner.gradient(value, x)


def jacobian_inside(x: Tensor) -> Tensor:
    with tf.GradientTape() as inner:
        inner.watch(x)
        value = shape_of(x)
    return tf.linalg.matvec(inner.jacobian(value, x), tf.convert_to_tensor(x))


def jacobian_without_pfor(x: Tensor) -> Tensor:
    with tf.GradientTape(persistent=True) as inner:
        inner.watch(x)
        value = shape_of(x)
    return tf.linalg.matvec(inner.jacobian(value, x, experimental_use_pfor=False), tf.convert_to_tensor(x))


def gradient_stopped_inside(x: Tensor) -> Tensor:
    with tf.GradientTape() as inner:
        inner.watch(x)
        with inner.stop_recording():
            aside = tf.sin(x)
        value = tf.reduce_sum(x * x)
    return x + 0.1 * inner.gradient(value, x) + 0.1 * aside


def pushed_forward(x: Tensor) -> Tensor:
    x = tf.convert_to_tensor(x)
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as pushed:
        value = shape_of(x)
    return value + pushed.jvp(value)


def pushed_through_a_gradient(x: Tensor) -> Tensor:
    x = tf.convert_to_tensor(x)
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as pushed:
        with tf.GradientTape() as inner:
            inner.watch(x)
            value = total(x)
        slope = inner.gradient(value, x)
    return x + pushed.jvp(slope)


def mapped(x: Tensor) -> Tensor:
    return tf.reduce_sum(tf.vectorized_map(shape_of, tf.stack([x, 0.5 * x])), axis=0)


def mapped_one_by_one(x: Tensor) -> Tensor:
    return tf.reduce_sum(tf.map_fn(shape_of, tf.stack([x, 0.5 * x])), axis=0)


# ----- compiled -----


def _cell(x: Tensor) -> Tensor:
    inner = tf.tanh(x * 0.5)
    return inner + x


def compiled(x: Tensor) -> Tensor:
    return tf.function(_cell)(x)


def _looped(x: Tensor) -> Tensor:
    for _ in tf.range(2):
        x = tf.tanh(x) + 0.1
    return x


def compiled_loop(x: Tensor) -> Tensor:
    return tf.function(_looped)(tf.convert_to_tensor(x))


def _slope(x: Tensor) -> Tensor:
    with tf.GradientTape() as inner:
        inner.watch(x)
        value = total(x)
    return inner.gradient(value, x)


def compiled_gradient(x: Tensor) -> Tensor:
    return tf.function(_slope)(tf.convert_to_tensor(x))


def recomputed(x: Tensor) -> Tensor:
    return tf.recompute_grad(shape_of)(tf.convert_to_tensor(x))


def looped(x: Tensor) -> Tensor:
    return tf.while_loop(lambda step, each: step < 2, lambda step, each: (step + 1, tf.sin(each)), (0, x))[1]


def branched(x: Tensor) -> Tensor:
    return tf.cond(tf.reduce_sum(x) > 0.0, lambda: tf.sin(x), lambda: tf.cos(x))


# ----- custom gradients -----


@tf.custom_gradient
def custom_gradient(x: Tensor) -> Any:
    x = tf.convert_to_tensor(x)

    def pull(g: Tensor) -> Tensor:
        return 2.0 * x * g

    return x * x, pull


@tf.custom_gradient
def gradient_in_a_rule(x: Tensor) -> Any:
    x = tf.convert_to_tensor(x)

    def pull(g: Tensor) -> Tensor:
        with tf.GradientTape() as inner:
            inner.watch(x)
            again = tf.sin(x)
        return inner.gradient(again, x, output_gradients=g)

    return tf.sin(x), pull


# ----- callbacks -----


def called_back(x: Tensor) -> Tensor:
    return tf.ensure_shape(tf.py_function(lambda each: tf.tanh(each) * 0.5, [x], tf.float32), [3])


def _tanh(x: Any) -> Any:
    return np.tanh(x).astype(np.float32)


@tf.custom_gradient
def through_numpy(x: Tensor) -> Any:
    y = tf.ensure_shape(tf.numpy_function(_tanh, [x], tf.float32), [3])
    return y, lambda g: g * (1.0 - y * y)


def shared_with_numpy(x: Tensor) -> Tensor:
    return x * np.ones_like(tf.convert_to_tensor(x).numpy())


def shared_by_dlpack(x: Tensor) -> Tensor:
    plain = tf.experimental.dlpack.to_dlpack(tf.stop_gradient(tf.identity(x)))
    return x + tf.experimental.dlpack.from_dlpack(plain)


# ----- kinds of tensors -----


def sparse(x: Tensor) -> Tensor:
    matrix = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], tf.convert_to_tensor(x), [3, 3])
    return tf.reshape(tf.sparse.sparse_dense_matmul(matrix, tf.reshape(x, [3, 1])), [3])


def ragged(x: Tensor) -> Tensor:
    parts = tf.RaggedTensor.from_row_lengths(tf.concat([x[:2], x], 0), [2, 3])
    return tf.reduce_sum(tf.sin(parts).to_tensor(shape=[2, 3]), axis=0)


def complex_numbers(x: Tensor) -> Tensor:
    z = tf.complex(x, 0.5 * x)
    return tf.math.real(z * tf.math.conj(z)) + tf.math.imag(tf.exp(tf.complex(0.0 * x, x)))


def gathered_rows(x: Tensor) -> Tensor:
    table = tf.Variable([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], trainable=False)
    return x * tf.nn.embedding_lookup(table, [1])[0]


def changed_in_place(x: Tensor) -> Tensor:
    state = tf.Variable(tf.zeros([3]), trainable=False)
    state.assign(x)
    state.scatter_nd_update([[0]], [0.5])
    return x * state


def changed_at(x: Tensor) -> Tensor:
    return tf.tensor_scatter_nd_update(tf.convert_to_tensor(x) * 2.0, [[0]], [0.5])


def keras_layer(x: Tensor) -> Tensor:
    layer = tf.keras.layers.Dense(3, kernel_initializer="ones", trainable=False)
    return 0.1 * layer(tf.reshape(x, [1, 3]))[0]


def slope_of(function: Any, x: Tensor) -> Tensor:
    with tf.GradientTape() as inner:
        inner.watch(x)
        value = tf.reduce_sum(function(x))
    return inner.gradient(value, x)


def tangent_of(function: Any, x: Tensor) -> Tensor:
    x = tf.convert_to_tensor(x)
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as pushed:
        value = function(x)
    return value + pushed.jvp(value)


AROUND = (
    "tf.reduce_sum(tf.vectorized_map(FUNCTION, tf.stack([{0}, {0} * 0.5])), axis=0)",
    "slope_of(FUNCTION, {0})",
    "tangent_of(FUNCTION, {0})",
    "tf.function(FUNCTION, autograph=False)({0})",
    "tf.recompute_grad(FUNCTION)(tf.convert_to_tensor({0}))",
)
"""Transforms around a function."""
INSIDE = (
    *("shape_of", "gradient_inside", "gradient_stopped_inside", "compiled", "compiled_gradient"),
    *("branched", "custom_gradient", "gradient_in_a_rule", "complex_numbers", "changed_at", "tf.tanh", "mapped"),
)
"""What may be in that function."""
