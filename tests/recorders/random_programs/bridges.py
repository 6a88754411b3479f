"""Pieces that leave one framework for another, each side with the other's gradient: by memory they share, or NumPy."""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import tensorflow as tf
import torch

threads: set[int] = set()
"""Those in which JAX has called back: it takes one of its own when it likes, and then a recording may say so."""


def jax_cell(x: Any) -> Any:
    return jnp.tanh(x) * 0.5


def torch_cell(x: Any) -> Any:
    return torch.tanh(x) * 0.5


def tensorflow_cell(x: Any) -> Any:
    return tf.tanh(x) * 0.5


# ----- from PyTorch -----


class ThroughJax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        y, ctx.pull = jax.vjp(jax_cell, jnp.asarray(x.detach().numpy()))
        return torch.from_numpy(np.array(y))

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (pulled,) = ctx.pull(jnp.asarray(g.numpy()))
        return torch.from_numpy(np.array(pulled))


class ThroughJaxByDlpack(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.x = jnp.from_dlpack(x.detach().clone())
        return torch.from_dlpack(jax_cell(ctx.x)).clone()

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        slope = jax.grad(lambda x, g: jnp.sum(jax_cell(x) * g))(ctx.x, jnp.from_dlpack(g.contiguous()))
        return torch.from_dlpack(slope).clone()


class ThroughTensorFlow(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.x = tf.constant(x.detach().numpy())
        with tf.GradientTape() as ctx.tape:
            ctx.tape.watch(ctx.x)
            ctx.y = tensorflow_cell(ctx.x)
        return torch.from_numpy(ctx.y.numpy().copy())

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        slope = ctx.tape.gradient(ctx.y, ctx.x, output_gradients=tf.constant(g.numpy()))
        return torch.from_numpy(slope.numpy().copy())


def torch_through_jax(x: Any) -> Any:
    return ThroughJax.apply(x)


def torch_through_jax_by_dlpack(x: Any) -> Any:
    return ThroughJaxByDlpack.apply(x)


def torch_through_tensorflow(x: Any) -> Any:
    return ThroughTensorFlow.apply(x)


# ----- from TensorFlow -----


@tf.custom_gradient
def tensorflow_through_jax(x: Any) -> Any:
    y, pull = jax.vjp(jax_cell, jnp.asarray(tf.convert_to_tensor(x).numpy()))
    return tf.constant(np.array(y)), lambda g: tf.constant(np.array(pull(jnp.asarray(g.numpy()))[0]))


@tf.custom_gradient
def tensorflow_through_torch(x: Any) -> Any:
    leaf = torch.tensor(tf.convert_to_tensor(x).numpy(), requires_grad=True)
    y = torch_cell(leaf)

    def pull(g: Any) -> Any:
        (slope,) = torch.autograd.grad(y, leaf, torch.tensor(g.numpy()), retain_graph=True)
        return tf.constant(slope.numpy())

    return tf.constant(y.detach().numpy()), pull


# ----- from JAX -----


def _torch_value(x: Any) -> Any:
    threads.add(get_ident())
    return torch_cell(torch.tensor(np.asarray(x))).numpy()


def _torch_slope(x: Any, g: Any) -> Any:
    threads.add(get_ident())
    leaf = torch.tensor(np.asarray(x), requires_grad=True)
    (slope,) = torch.autograd.grad(torch_cell(leaf), leaf, torch.tensor(np.asarray(g)))
    return slope.numpy()


def _tensorflow_value(x: Any) -> Any:
    threads.add(get_ident())
    return tensorflow_cell(tf.constant(np.asarray(x))).numpy()


def _tensorflow_slope(x: Any, g: Any) -> Any:
    threads.add(get_ident())
    with tf.GradientTape() as tape:
        leaf = tf.constant(np.asarray(x))
        tape.watch(leaf)
        y = tensorflow_cell(leaf)
    return tape.gradient(y, leaf, output_gradients=tf.constant(np.asarray(g))).numpy()


def _through(value: Callable[[Any], Any], slope: Callable[[Any, Any], Any]) -> Any:
    """A function of JAX's whose value, and whose gradient, another framework computes as the program runs."""

    def called(function: Callable[..., Any], x: Any, *more: Any) -> Any:
        like = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return jax.pure_callback(function, like, x, *more, vmap_method="sequential")

    through = jax.custom_vjp(lambda x: called(value, x))
    through.defvjp(lambda x: (through(x), x), lambda x, g: (called(slope, x, g),))
    return through


jax_through_torch = _through(_torch_value, _torch_slope)
jax_through_tensorflow = _through(_tensorflow_value, _tensorflow_slope)
