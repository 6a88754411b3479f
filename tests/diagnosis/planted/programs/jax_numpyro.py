"""The log density of a numpyro model, and its gradient."""

import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from numpyro.infer.util import log_density

REQUIRES = ["numpyro", "jax"]


def model(x, y):
    slope = numpyro.sample("slope", dist.Normal(0.0, 2.0))
    bias = numpyro.sample("bias", dist.Normal(0.0, 2.0))
    line = slope * x + bias  #: hidden
    numpyro.sample("y", dist.Normal(line, 0.5), obs=y)


def loss_of(params, x, y):
    log_joint, _ = log_density(model, (x, y), {}, params)
    density = log_joint / x.shape[0]  #: hidden
    loss = -density  #: loss
    return loss


x = jnp.linspace(-1.0, 1.0, 10)  #: data
y = 1.5 * x - 0.3
params = {"slope": jnp.float32(0.2), "bias": jnp.float32(0.1)}
gradients = jax.grad(loss_of)(params, x, y)  #: backward
