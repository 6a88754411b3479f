"""Two adversaries, trained in one step by a gradient each."""

import jax
import jax.numpy as jnp

REQUIRES = ["jax"]


def discriminate(weights, x):
    h = jnp.tanh(x @ weights)  #: hidden
    return jax.nn.sigmoid(h.sum(-1))


def discriminator_loss(weights, generator, noise, real):
    fake = noise @ generator
    return -jnp.mean(jnp.log(discriminate(weights, real)) + jnp.log(1.0 - discriminate(weights, fake)))


def generator_loss(generator, weights, noise):
    return -jnp.mean(jnp.log(discriminate(weights, noise @ generator)))


@jax.jit
def train_step(weights, generator, noise, real):
    slopes = jax.grad(discriminator_loss)(weights, generator, noise, real)
    weights = weights - 0.1 * slopes
    others = jax.grad(generator_loss)(generator, weights, noise)
    return weights, generator - 0.1 * others, slopes, others


keys = jax.random.split(jax.random.key(0), 4)
weights, generator = 0.2 * jax.random.normal(keys[0], (4, 3)), 0.2 * jax.random.normal(keys[1], (2, 4))
noise, real = jax.random.normal(keys[2], (6, 2)), jax.random.normal(keys[3], (6, 4))
gradients = []
for _ in range(2):
    weights, generator, slopes, others = train_step(weights, generator, noise, real)
    gradients += [slopes, others]
results = weights, generator
