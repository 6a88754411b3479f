"""The evidence bound of a numpyro guide, differentiated by its parameters."""

import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from numpyro.infer import Trace_ELBO

REQUIRES = ["numpyro", "jax"]


def model(x):
    mean = numpyro.sample("mean", dist.Normal(0.0, 10.0))
    shifted = mean + 0.5  #: hidden
    numpyro.sample("x", dist.Normal(shifted, 1.0), obs=x)


def guide(x):
    scale = jnp.exp(numpyro.param("log_scale", jnp.float32(0.1)))
    numpyro.sample("mean", dist.Normal(numpyro.param("location", jnp.float32(0.5)), scale))


def loss_of(params, x, key):
    bound = Trace_ELBO(num_particles=2).loss(key, params, model, guide, x)  #: hidden
    loss = bound / x.shape[0]  #: loss
    return loss


x = jax.random.normal(jax.random.key(1), (10,)) + 3.0  #: data
params = {"location": jnp.float32(0.5), "log_scale": jnp.float32(0.1)}
gradients = jax.grad(loss_of)(params, x, jax.random.key(0))  #: backward
