"""The energy of particles in a periodic box, differentiated by where they are and by the size of the particles."""

import jax
import jax.numpy as jnp
from jax_md import energy, space

REQUIRES = ["jax-md", "jax"]

displacement, shift = space.periodic(4.0)


def energy_of(params, positions):
    moved = positions + 0.1 * params["offset"]  #: hidden
    size = jnp.exp(params["log_size"])  #: hidden
    total = energy.soft_sphere_pair(displacement, sigma=size)(moved)  #: hidden
    loss = total * 0.5  #: loss
    return loss


positions = jax.random.uniform(jax.random.key(0), (8, 2), maxval=4.0)  #: data
params = {"offset": jnp.ones((8, 2)), "log_size": jnp.array(0.5)}
loss, gradients = jax.value_and_grad(energy_of)(params, positions)  #: backward
