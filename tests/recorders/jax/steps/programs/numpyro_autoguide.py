"""A regression of numpyro with a guide that it makes itself, and several particles."""

import jax
import numpyro
import numpyro.distributions as dist
from numpyro.infer import SVI, Trace_ELBO
from numpyro.infer.autoguide import AutoNormal

REQUIRES = ["numpyro", "jax"]


def model(x, y=None):
    a = numpyro.sample("a", dist.Normal(0.0, 1.0))
    b = numpyro.sample("b", dist.Normal(0.0, 1.0))
    sigma = numpyro.sample("sigma", dist.HalfNormal(1.0))
    numpyro.sample("y", dist.Normal(a * x + b, sigma), obs=y)


x = jax.random.normal(jax.random.key(0), (20,))
y = 2.0 * x + 1.0
guide = AutoNormal(model)
svi = SVI(model, guide, numpyro.optim.Adam(1e-2), Trace_ELBO(num_particles=2))
state = svi.init(jax.random.key(1), x, y)
update = jax.jit(svi.update)
for _ in range(2):
    state, loss = update(state, x, y)
results = svi.get_params(state), loss
gradients = None
