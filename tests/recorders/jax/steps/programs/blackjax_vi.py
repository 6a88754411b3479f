"""Mean-field variational inference of blackjax."""

import blackjax
import jax
import jax.numpy as jnp
import optax

REQUIRES = ["blackjax", "optax", "jax"]


def logdensity_fn(x):
    shifted = x["a"] - 1.0  #: hidden
    return -0.5 * jnp.sum(shifted**2) - jnp.sum(jnp.cosh(x["b"]))


optimizer = optax.chain(optax.trace(decay=0.0), optax.sgd(1e-2))
mfvi = blackjax.meanfield_vi(logdensity_fn, optimizer, 10)
state = mfvi.init({"a": jnp.zeros(3), "b": jnp.ones(2)})
step = jax.jit(mfvi.step)
gradients = []
for number in range(2):
    state, info = step(jax.random.key(number), state)
    gradients.append(state.opt_state[0].trace)
results = state, info
