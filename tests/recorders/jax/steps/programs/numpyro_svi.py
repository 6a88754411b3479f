"""Variational inference by numpyro, whose optimizer keeps the gradient of its last step."""

import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
import optax
from numpyro.infer import SVI, Trace_ELBO

REQUIRES = ["numpyro", "optax", "jax"]


def model(data):
    f = numpyro.sample("latent_fairness", dist.Beta(10, 10))
    with numpyro.plate("N", data.shape[0]):
        numpyro.sample("obs", dist.Bernoulli(f), obs=data)


def guide(data):
    alpha_q = numpyro.param("alpha_q", 15.0, constraint=dist.constraints.positive)
    beta_q = numpyro.param("beta_q", lambda key: jax.random.exponential(key), constraint=dist.constraints.positive)
    numpyro.sample("latent_fairness", dist.Beta(alpha_q, beta_q))


data = jnp.concatenate([jnp.ones(6), jnp.zeros(4)])
optimizer = optax.chain(optax.trace(decay=0.0), optax.adam(0.0005))
svi = SVI(model, guide, optimizer, loss=Trace_ELBO())
svi_state = svi.init(jax.random.key(0), data)
update = jax.jit(svi.update)
gradients = []
for _ in range(2):
    svi_state, loss = update(svi_state, data)
    gradients.append(svi_state.optim_state[1][1][0].trace)
results = svi.get_params(svi_state), loss
