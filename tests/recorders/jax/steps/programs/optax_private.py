"""Differentially private gradients: one for each example, clipped, with noise added."""

import jax
import jax.numpy as jnp
import optax
from optax import contrib

REQUIRES = ["optax", "jax"]


def loss_fn(params, x, y):
    prediction = jnp.tanh(x @ params["w"]) + params["b"]  #: hidden
    return jnp.mean((prediction - y) ** 2)


@jax.jit
def step(params, opt_state, x, y):
    grads = jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x[:, None], y[:, None])
    updates, opt_state = optimizer.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, grads


keys = jax.random.split(jax.random.key(0), 2)
params = {"w": jax.random.normal(keys[0], (3, 2)), "b": jnp.ones(2)}
x = jax.random.normal(keys[1], (5, 3))
y = jnp.zeros((5, 2))
optimizer = optax.chain(
    contrib.differentially_private_aggregate(l2_norm_clip=1.0, noise_multiplier=0.1, key=0), optax.sgd(0.1)
)
opt_state = optimizer.init(params)
gradients = []
for _ in range(2):
    params, opt_state, grads = step(params, opt_state, x, y)
    gradients.append(grads)
results = params
