"""u' = -u with u(0) = 1, by a net and its derivative."""

import jax
import jax.numpy as jnp

REQUIRES = ["jax"]


def u_of(params, t):
    h = jnp.tanh(t * params["w1"] + params["b1"])  #: hidden
    value = h @ params["w2"]  #: hidden
    return value


def loss_of(params, times):
    u = jax.vmap(u_of, in_axes=(None, 0))(params, times)
    slope = jax.vmap(jax.grad(u_of, argnums=1), in_axes=(None, 0))(params, times)
    residual = slope + u  #: hidden
    loss = jnp.mean(residual**2) + (u_of(params, 0.0) - 1.0) ** 2  #: loss
    return loss


keys = jax.random.split(jax.random.key(0), 2)
params = {"w1": jax.random.normal(keys[0], (8,)), "b1": 0.1 * jnp.ones(8), "w2": jax.random.normal(keys[1], (8,))}
times = jnp.linspace(0.0, 2.0, 9)
gradients = jax.grad(loss_of)(params, times)  #: backward
