"""A variational autoencoder with the reparametrisation trick."""

import jax
import jax.numpy as jnp

REQUIRES = ["jax"]


def loss_of(params, x, key):
    h = jnp.tanh(x @ params["encoder"])  #: hidden
    mean, log_variance = jnp.split(h @ params["both"], 2, axis=-1)
    z = mean + jnp.exp(0.5 * log_variance) * jax.random.normal(key, mean.shape)  #: hidden
    rebuilt = z @ params["decoder"]  #: hidden
    kl = -0.5 * jnp.sum(1 + log_variance - mean**2 - jnp.exp(log_variance))
    loss = jnp.sum((rebuilt - x) ** 2) + kl  #: loss
    return loss


keys = jax.random.split(jax.random.key(0), 5)
params = {
    "encoder": jax.random.normal(keys[0], (6, 8)) / 2,
    "both": jax.random.normal(keys[1], (8, 4)) / 2,
    "decoder": jax.random.normal(keys[2], (2, 6)),
}
x = jax.random.normal(keys[3], (5, 6))  #: data
gradients = jax.grad(loss_of)(params, x, keys[4])  #: backward
