"""One leapfrog step of blackjax, differentiated by the position it starts from."""

import jax
import jax.numpy as jnp
from blackjax.mcmc.integrators import IntegratorState, velocity_verlet
from blackjax.mcmc.metrics import default_metric

REQUIRES = ["blackjax", "jax"]


def log_density(position):
    return -0.5 * jnp.sum(position**2) + 0.1 * jnp.sum(jnp.sin(position))


def loss_of(params):
    position = params["w"] * 1.5  #: hidden
    kinetic = default_metric(jnp.ones(3)).kinetic_energy
    begin = IntegratorState(position, jnp.ones(3), log_density(position), jax.grad(log_density)(position))
    after = velocity_verlet(log_density, kinetic)(begin, 0.1)
    reached = after.position  #: hidden
    loss = jnp.sum(reached**2)  #: loss
    return loss


params = {"w": jnp.array([0.5, -1.0, 2.0])}
gradients = jax.grad(loss_of)(params)  #: backward
