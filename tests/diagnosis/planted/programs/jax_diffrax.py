"""A neural ODE, solved by diffrax with fixed steps."""

import diffrax
import jax
import jax.numpy as jnp

REQUIRES = ["diffrax", "jax"]


def field(t, state, params):
    h = jnp.tanh(params["w1"] @ state)  #: hidden
    return params["w2"] @ h


def loss_of(params, start):
    solved = diffrax.diffeqsolve(
        diffrax.ODETerm(field),
        diffrax.Euler(),
        0.0,
        1.0,
        0.25,
        start,
        params,
        adjoint=diffrax.DirectAdjoint(),
        max_steps=8,
    )
    end = solved.ys[-1]  #: hidden
    loss = jnp.sum((end - 1.0) ** 2)  #: loss
    return loss


keys = jax.random.split(jax.random.key(0), 2)
params = {"w1": jax.random.normal(keys[0], (8, 2)), "w2": jax.random.normal(keys[1], (2, 8)) / 3}
start = jnp.array([2.0, 0.5])  #: data
gradients = jax.grad(loss_of)(params, start)  #: backward
