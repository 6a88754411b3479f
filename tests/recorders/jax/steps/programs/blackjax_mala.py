"""The Metropolis-adjusted Langevin algorithm of blackjax, whose state has the gradient."""

import blackjax
import jax
import jax.numpy as jnp
from jax.scipy import stats

REQUIRES = ["blackjax", "jax"]


def logdensity_fn(x):
    residue = observed - x["loc"]
    logpdf = stats.norm.logpdf(residue, 0.0, jnp.exp(x["log_scale"]))
    return jnp.sum(logpdf)


observed = 1.0 + 2.0 * jax.random.normal(jax.random.key(0), (20,))
mala = blackjax.mala(logdensity_fn, 1e-2)
state = mala.init({"loc": jnp.array(1.0), "log_scale": jnp.array(0.5)})
step = jax.jit(mala.step)
for number in range(2):
    state, info = step(jax.random.key(number), state)
results = state, info
gradients = None
