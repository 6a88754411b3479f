"""The energy of a soft-sphere system of jax-md, whose positions follow the forces."""

import jax
import jax.numpy as jnp
from jax_md import energy, space

REQUIRES = ["jax-md", "jax"]

displacement, shift = space.periodic(3.0)
energy_fn = energy.soft_sphere_pair(displacement, sigma=jnp.array(1.0))


def total(positions):
    pairs = energy_fn(positions)  #: hidden
    return pairs / positions.shape[0]


@jax.jit
def step(positions):
    slopes = jax.grad(total)(positions)
    return shift(positions, -0.1 * slopes), slopes


positions = 3.0 * jax.random.uniform(jax.random.key(0), (12, 2))
gradients = []
for _ in range(3):
    positions, slopes = step(positions)
    gradients.append(slopes)
results = positions
