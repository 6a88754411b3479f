"""A loss that is compiled, and calls what is compiled."""

import jax
import jax.numpy as jnp

REQUIRES = ["jax"]


@jax.jit
def predict(params, x):
    h = jax.nn.softplus(x @ params[0]["w"] + params[0]["b"])  #: hidden
    return h @ params[1]["w"]


@jax.jit
def loss_of(params, x, y):
    prediction = predict(params, x)  #: hidden
    loss = jnp.mean((prediction - y) ** 2)  #: loss
    return loss


keys = jax.random.split(jax.random.key(0), 4)
params = [
    {"w": jax.random.normal(keys[0], (4, 8)), "b": jnp.ones(8)},
    {"w": jax.random.normal(keys[1], (8, 1))},
]
x = jax.random.normal(keys[2], (6, 4))  #: data
y = jax.random.normal(keys[3], (6, 1))  #: target
loss, gradients = jax.value_and_grad(loss_of)(params, x, y)  #: backward
