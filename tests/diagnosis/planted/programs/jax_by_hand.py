"""A perceptron of two layers, written by hand."""

import jax
import jax.numpy as jnp

REQUIRES = ["jax"]


def loss_of(params, x, y):
    h = jnp.tanh(x @ params["w1"] + params["b1"])  #: hidden
    prediction = h @ params["w2"]  #: hidden
    loss = jnp.mean((prediction - y) ** 2)  #: loss
    return loss


keys = jax.random.split(jax.random.key(0), 4)
params = {
    "w1": jax.random.normal(keys[0], (4, 8)),
    "b1": jnp.zeros(8),
    "w2": jax.random.normal(keys[1], (8, 1)),
}
x = jax.random.normal(keys[2], (6, 4))  #: data
y = jax.random.normal(keys[3], (6, 1))  #: target
gradients = jax.grad(loss_of)(params, x, y)  #: backward
