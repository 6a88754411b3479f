"""The potential of a numpyro model, whose gradient a sampler of one's own takes."""

import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from numpyro.infer.util import initialize_model

REQUIRES = ["numpyro", "jax"]


def model(x, y):
    w = numpyro.sample("w", dist.Normal(jnp.zeros(3), 1.0).to_event(1))
    logits = x @ w  #: hidden
    numpyro.sample("y", dist.Bernoulli(logits=logits), obs=y)


x = jax.random.normal(jax.random.key(0), (8, 3))
y = jnp.array([0, 1, 1, 0, 1, 0, 1, 1])
info = initialize_model(jax.random.key(1), model, model_args=(x, y))


@jax.jit
def langevin(position, key):
    slopes = jax.grad(info.potential_fn)(position)
    noise = jax.random.normal(key, (3,))
    return jax.tree.map(lambda each, slope: each - 0.01 * slope + 0.1 * noise, position, slopes), slopes


position = info.param_info.z
gradients = [info.param_info.z_grad]
for number in range(2):
    position, slopes = langevin(position, jax.random.key(number))
    gradients.append(slopes)
results = position
