"""Its port to JAX."""

import jax.numpy as jnp

import tapeviz as tv
from docs.two_frameworks import weights


def forward(params, x, y):
    h = jnp.tanh(x @ params["w1"])
    cost = ((h @ params["w2"] - y) ** 2).mean()
    return cost


in_jax = tv.record_jax(forward, {"w1": weights.w1, "w2": weights.w2}, weights.x, weights.y)
