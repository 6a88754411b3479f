"""A solver of jaxopt, updated in a jitted step, which keeps the gradient of its last step."""

import jax
import jax.numpy as jnp
import optax
from jaxopt import OptaxSolver

REQUIRES = ["jaxopt", "optax", "jax"]


def loss_fn(params, x, y):
    h = jnp.tanh(x @ params["w"])  #: hidden
    logits = h @ params["v"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


keys = jax.random.split(jax.random.key(0), 3)
params = {"w": jax.random.normal(keys[0], (4, 6)), "v": jax.random.normal(keys[1], (6, 3))}
x = jax.random.normal(keys[2], (6, 4))
y = jnp.arange(6) % 3
solver = OptaxSolver(loss_fn, optax.chain(optax.trace(decay=0.0), optax.adam(1e-2)))
state = solver.init_state(params, x, y)
update = jax.jit(solver.update)
gradients = []
for _ in range(2):
    params, state = update(params, state, x, y)
    gradients.append(state.internal_state[0].trace)
results = params, state.value
