"""A function that haiku transforms."""

import haiku as hk
import jax
import jax.numpy as jnp

REQUIRES = ["dm-haiku", "jax"]


def forward(x):
    h = jnp.tanh(hk.Linear(8)(x))  #: hidden
    h = hk.LayerNorm(-1, True, True)(h)  #: hidden
    return hk.Linear(1)(h)


def loss_of(params, x, y):
    prediction = net.apply(params, x)  #: hidden
    loss = jnp.mean((prediction - y) ** 2)  #: loss
    return loss


net = hk.without_apply_rng(hk.transform(forward))
keys = jax.random.split(jax.random.key(0), 3)
x = jax.random.normal(keys[0], (6, 4))  #: data
y = jax.random.normal(keys[1], (6, 1))  #: target
params = net.init(keys[2], x)
gradients = jax.grad(loss_of)(params, x, y)  #: backward
