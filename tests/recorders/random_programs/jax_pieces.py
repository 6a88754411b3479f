"""Pieces of JAX programs: functions of a vector that give one, by transforms, custom rules and callbacks."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

Array = jax.Array


def shape_of(x: Array) -> Array:
    """What most pieces differentiate: smooth, and another number for each entry."""
    return jnp.sin(x) * 0.5 + x * x * 0.1


def total(x: Array) -> Array:
    return jnp.sum(shape_of(x) * jnp.tanh(x))


# ----- transforms -----


def gradient_inside(x: Array) -> Array:
    return jax.grad(total)(x)


def value_and_gradient_inside(x: Array) -> Array:
    value, slope = jax.value_and_grad(total)(x)
    return value + slope


def mapped(x: Array) -> Array:
    return jnp.sum(jax.vmap(shape_of)(jnp.stack([x, 0.5 * x])), axis=0)


def mapped_gradient(x: Array) -> Array:
    return x + jax.vmap(jax.grad(lambda each: jnp.sin(each) * each))(x)


def mapped_twice(x: Array) -> Array:
    return jnp.sum(jax.vmap(jax.vmap(jnp.tanh))(jnp.outer(x, x)), axis=1)


def pushed_forward(x: Array) -> Array:
    value, slope = jax.jvp(shape_of, (x,), (jnp.ones_like(x),))
    return value + slope


def linearized(x: Array) -> Array:
    value, push = jax.linearize(shape_of, x)
    return value + push(jnp.ones_like(x))


def pulled_back(x: Array) -> Array:
    value, pull = jax.vjp(shape_of, x)
    return pull(value)[0]


def jacobian_backward(x: Array) -> Array:
    return jax.jacrev(shape_of)(x) @ x


def jacobian_forward(x: Array) -> Array:
    return jax.jacfwd(shape_of)(x) @ x


def hessian_inside(x: Array) -> Array:
    return jax.hessian(total)(x) @ x


# ----- compiled, and control flow -----


@jax.jit
def compiled(x: Array) -> Array:
    inner = jnp.tanh(x * 0.5)
    return inner + x


def compiled_gradient(x: Array) -> Array:
    return jax.jit(jax.grad(total))(x)


def scanned(x: Array) -> Array:
    return jax.lax.scan(lambda carry, step: (jnp.tanh(carry * step), None), x, jnp.arange(1.0, 3.0))[0]


def branched(x: Array) -> Array:
    return jax.lax.cond(jnp.sum(x) > 0.0, jnp.sin, jnp.cos, x)


def checkpointed(x: Array) -> Array:
    return jax.checkpoint(shape_of)(x)


def checkpointed_with_a_policy(x: Array) -> Array:
    return jax.checkpoint(shape_of, policy=jax.checkpoint_policies.dots_saveable)(x)


# ----- custom rules -----


@jax.custom_vjp
def custom_pull(x: Array) -> Array:
    return x * x


custom_pull.defvjp(lambda x: (x * x, x), lambda x, g: (2.0 * x * g,))


@jax.custom_jvp
def custom_push(x: Array) -> Array:
    return x * x


custom_push.defjvp(lambda primals, tangents: (primals[0] * primals[0], 2.0 * primals[0] * tangents[0]))


@jax.custom_vjp
def gradient_in_a_rule(x: Array) -> Array:
    return jnp.sin(x)


gradient_in_a_rule.defvjp(
    lambda x: (jnp.sin(x), x), lambda x, g: (jax.grad(lambda again: jnp.sum(jnp.sin(again) * g))(x),)
)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def _called(function: Any, x: Array) -> Array:
    return function(x)


_called.defvjp(lambda function, x: (function(x), x), lambda function, x, g: jax.vjp(function, x)[1](g))


def custom_pull_of_a_function(x: Array) -> Array:
    return _called(shape_of, x)


# ----- callbacks and kinds of arrays -----


@jax.custom_vjp
def through_numpy(x: Array) -> Array:
    return jax.pure_callback(np.tanh, jax.ShapeDtypeStruct(x.shape, x.dtype), x, vmap_method="sequential")


def _numpy_forth(x: Array) -> tuple[Array, Array]:
    y = through_numpy(x)
    return y, y


through_numpy.defvjp(_numpy_forth, lambda y, g: (g * (1.0 - y * y),))


def complex_numbers(x: Array) -> Array:
    z = x + 0.5j * x
    return jnp.real(z * jnp.conj(z)) + jnp.imag(jnp.exp(1j * x))


def fourier(x: Array) -> Array:
    return jnp.fft.irfft(jnp.fft.rfft(x) * 0.5, n=3)


def changed_at(x: Array) -> Array:
    return (x * 2.0).at[0].set(0.5).at[1:].multiply(0.5)


def random_numbers(x: Array) -> Array:
    return x + 0.1 * jax.random.normal(jax.random.key(0), x.shape)


AROUND = (
    "jnp.sum(jax.vmap(FUNCTION)(jnp.stack([{0}, {0} * 0.5])), axis=0)",
    "jax.grad(lambda each: jnp.sum(FUNCTION(each)))({0})",
    "jax.jvp(FUNCTION, ({0},), (jnp.ones_like({0}),))[1] + {0}",
    "jax.vjp(FUNCTION, {0})[1]({0})[0]",
    "jax.jacrev(FUNCTION)({0}) @ {0}",
    "jax.jit(FUNCTION)({0})",
    "jax.checkpoint(FUNCTION)({0})",
)
"""Transforms around a function."""
INSIDE = (
    *("shape_of", "gradient_inside", "value_and_gradient_inside", "mapped", "mapped_gradient", "pulled_back"),
    *("pushed_forward", "jacobian_backward", "hessian_inside", "compiled", "scanned", "branched", "checkpointed"),
    *("custom_pull", "custom_push", "gradient_in_a_rule", "complex_numbers", "fourier", "changed_at", "jnp.tanh"),
)
"""What may be in that function."""
