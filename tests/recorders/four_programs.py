"""The same programs written for the engine and TensorFlow (whose spelling they share), PyTorch and JAX."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch

import tapeviz as tv
from tapeviz.events.log import EventLog

_NORMAL = np.random.RandomState(0).normal


def _numbers(*shape: int) -> np.ndarray:
    return _NORMAL(size=shape).astype(np.float32)


ROWS, LABELS, HIDDEN, BIAS, OUT = _numbers(5, 4), _numbers(5, 1), _numbers(4, 3), _numbers(3), _numbers(3, 1)
ELEMENTS, BEGIN, RECURRENT, INWARDS = _numbers(4, 1, 2), _numbers(1, 3), _numbers(3, 3), _numbers(2, 3)
POINTS = _numbers(6)

# ----- one step of a network of two layers -----


def mlp_in_tensorflow(tf: Any) -> EventLog:
    with tv.record() as log:
        x, y = tf.constant(ROWS), tf.constant(LABELS)
        w1, b1, w2 = tf.Variable(HIDDEN), tf.Variable(BIAS), tf.Variable(OUT)
        with tf.GradientTape() as tape:
            z = x @ w1 + b1
            h = tf.tanh(z)
            p = h @ w2
            d = p - y
            loss = tf.reduce_mean(tf.square(d))
        tape.gradient(loss, [w1, b1, w2])
    return log


def mlp_in_torch() -> EventLog:
    with tv.record() as log:
        x, y = torch.tensor(ROWS), torch.tensor(LABELS)
        w1 = torch.tensor(HIDDEN, requires_grad=True)
        b1 = torch.tensor(BIAS, requires_grad=True)
        w2 = torch.tensor(OUT, requires_grad=True)
        z = x @ w1 + b1
        h = torch.tanh(z)
        p = h @ w2
        d = p - y
        loss = torch.mean(torch.square(d))
        loss.backward()
    return log


def mlp_in_jax() -> EventLog:
    def mlp(w1, b1, w2, x, y):
        z = x @ w1 + b1
        h = jnp.tanh(z)
        p = h @ w2
        d = p - y
        loss = jnp.mean(jnp.square(d))
        return loss

    return tv.record_jax(mlp, HIDDEN, BIAS, OUT, ROWS, LABELS, argnums=(0, 1, 2))


# ----- a recurrent net: every step uses the same weights -----


def rnn_in_tensorflow(tf: Any) -> EventLog:
    with tv.record() as log:
        w, u, b = tf.Variable(RECURRENT), tf.Variable(INWARDS), tf.Variable(BIAS)
        xs, h = tf.constant(ELEMENTS), tf.constant(BEGIN)
        with tf.GradientTape() as tape:
            for t in range(4):
                a = xs[t] @ u + h @ w + b
                h = tf.tanh(a)
            loss = tf.reduce_sum(h * h)
        tape.gradient(loss, [w, u, b])
    return log


def rnn_in_torch() -> EventLog:
    with tv.record() as log:
        w = torch.tensor(RECURRENT, requires_grad=True)
        u = torch.tensor(INWARDS, requires_grad=True)
        b = torch.tensor(BIAS, requires_grad=True)
        xs = torch.tensor(ELEMENTS)
        h = torch.tensor(BEGIN)
        for t in range(4):
            a = xs[t] @ u + h @ w + b
            h = torch.tanh(a)
        loss = torch.sum(h * h)
        loss.backward()
    return log


def rnn_in_jax() -> EventLog:
    def rnn(w, u, b, xs, h):
        for t in range(4):
            a = xs[t] @ u + h @ w + b
            h = jnp.tanh(a)
        loss = jnp.sum(h * h)
        return loss

    return tv.record_jax(rnn, RECURRENT, INWARDS, BIAS, ELEMENTS, BEGIN, argnums=(0, 1, 2))


# ----- the gradient of a function of a gradient -----


def second_in_tensorflow(tf: Any) -> EventLog:
    with tv.record() as log:
        x = tf.Variable(POINTS)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = tf.sin(x)
                z = y * x
                loss = tf.reduce_sum(z)
            g = inner.gradient(loss, x)
            total = tf.reduce_sum(g * g)
        outer.gradient(total, x)
    return log


def second_in_torch() -> EventLog:
    with tv.record() as log:
        x = torch.tensor(POINTS, requires_grad=True)
        y = torch.sin(x)
        z = y * x
        loss = torch.sum(z)
        (g,) = torch.autograd.grad(loss, x, create_graph=True)
        total = torch.sum(g * g)
        torch.autograd.grad(total, x)
    return log


def second_in_jax() -> EventLog:
    def inner(x):
        y = jnp.sin(x)
        z = y * x
        loss = jnp.sum(z)
        return loss

    def second(x):
        g = jax.grad(inner)(x)
        total = jnp.sum(g * g)
        return total

    return tv.record_jax(second, POINTS)


# ----- a function with a gradient of its own -----


def custom_in_tensorflow(tf: Any) -> EventLog:
    @tf.custom_gradient
    def bounded(x):
        return tf.identity(x), lambda upstream: tf.clip_by_value(upstream, -0.5, 0.5)

    with tv.record() as log:
        x = tf.Variable(POINTS)
        with tf.GradientTape() as tape:
            y = x * x
            c = bounded(y)
            z = tf.exp(-c)
            loss = tf.reduce_sum(z)
        tape.gradient(loss, x)
    return log


class bounded(torch.autograd.Function):
    """Passes its input on, and of a gradient what is between -0.5 and 0.5."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, upstream: torch.Tensor) -> torch.Tensor:
        return torch.clamp(upstream, -0.5, 0.5)


def custom_in_torch() -> EventLog:
    with tv.record() as log:
        x = torch.tensor(POINTS, requires_grad=True)
        y = x * x
        c = bounded.apply(y)
        z = torch.exp(-c)
        loss = torch.sum(z)
        loss.backward()
    return log


def custom_in_jax() -> EventLog:
    @jax.custom_vjp
    def bounded(x):
        return x

    bounded.defvjp(lambda x: (x, None), lambda _, upstream: (jnp.clip(upstream, -0.5, 0.5),))

    def custom(x):
        y = x * x
        c = bounded(y)
        z = jnp.exp(-c)
        loss = jnp.sum(z)
        return loss

    return tv.record_jax(custom, POINTS)


def _of(tensorflow: Any, in_tensorflow: Any, in_torch: Any, in_jax: Any) -> Mapping[str, Callable[[], EventLog]]:
    return {
        "engine": lambda: in_tensorflow(tv),
        "tensorflow": lambda: in_tensorflow(tensorflow),
        "torch": in_torch,
        "jax": in_jax,
    }


def programs(tensorflow: Any) -> dict[str, Mapping[str, Callable[[], EventLog]]]:
    """Name -> framework -> what records the program there."""
    return {
        "mlp": _of(tensorflow, mlp_in_tensorflow, mlp_in_torch, mlp_in_jax),
        "rnn": _of(tensorflow, rnn_in_tensorflow, rnn_in_torch, rnn_in_jax),
        "second": _of(tensorflow, second_in_tensorflow, second_in_torch, second_in_jax),
        "custom": _of(tensorflow, custom_in_tensorflow, custom_in_torch, custom_in_jax),
    }
