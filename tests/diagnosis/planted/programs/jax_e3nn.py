"""Points in space, by features of e3nn-jax that turn with them."""

import e3nn_jax as e3nn
import jax
import jax.numpy as jnp

REQUIRES = ["e3nn-jax", "jax"]


def loss_of(params, positions, target):
    harmonics = e3nn.spherical_harmonics("0e + 1o", positions, normalize=True)
    features = e3nn.tensor_product(harmonics, harmonics).filter(["0e"])  #: hidden
    scalars = features.array @ params["w"]  #: hidden
    loss = jnp.mean((jnp.tanh(scalars) - target) ** 2)  #: loss
    return loss


keys = jax.random.split(jax.random.key(0), 3)
positions = jax.random.normal(keys[0], (5, 3))  #: data
target = jax.random.normal(keys[1], (5,))
params = {"w": jax.random.normal(keys[2], (2,))}
gradients = jax.grad(loss_of)(params, positions, target)  #: backward
