"""Layers in `lax.scan`, with `jax.checkpoint` around each."""

import jax
import jax.numpy as jnp

REQUIRES = ["jax"]


@jax.checkpoint
def layer(h, weights):
    return jnp.tanh(h @ weights), None


@jax.jit
def step(stack, x):
    def loss_fn(stack):
        h, _ = jax.lax.scan(layer, x, stack)
        scaled = 2.0 * h  #: hidden
        return jnp.mean(scaled**2)

    loss, grads = jax.value_and_grad(loss_fn)(stack)
    return stack - 0.1 * grads, loss, grads


stack = 0.5 * jax.random.normal(jax.random.key(0), (3, 4, 4))
x = jax.random.normal(jax.random.key(1), (2, 4))
gradients = []
for _ in range(2):
    stack, loss, grads = step(stack, x)
    gradients.append(grads)
results = stack, loss
