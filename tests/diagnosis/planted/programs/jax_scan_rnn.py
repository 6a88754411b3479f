"""A recurrent cell under scan."""

import jax
import jax.numpy as jnp

REQUIRES = ["jax"]


def loss_of(params, wave):
    def cell(state, x):
        state = jnp.tanh(x @ params["wx"] + state @ params["wh"])  #: hidden
        return state, state @ params["wo"]

    _, outputs = jax.lax.scan(cell, jnp.zeros(6), wave[:-1])
    outputs = 2.0 * outputs  #: hidden
    loss = jnp.mean((outputs - wave[1:]) ** 2)  #: loss
    return loss


keys = jax.random.split(jax.random.key(0), 3)
params = {
    "wx": jax.random.normal(keys[0], (1, 6)),
    "wh": 0.3 * jax.random.normal(keys[1], (6, 6)),
    "wo": jax.random.normal(keys[2], (6, 1)),
}
wave = jnp.sin(jnp.linspace(0, 6, 12))[:, None]  #: data
gradients = jax.grad(loss_of)(params, wave)  #: backward
