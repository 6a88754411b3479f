"""A haiku net, with a jitted loss in a jitted update."""

import haiku as hk
import jax
import jax.numpy as jnp
import optax

REQUIRES = ["dm-haiku", "optax", "jax"]


def net_fn(x):
    h = jax.nn.relu(hk.Linear(8)(x))  #: hidden
    return hk.Linear(3)(h)


@jax.jit
def loss_fn(params, x, y):
    logits = network.apply(params, x)
    one_hot = jax.nn.one_hot(y, 3)
    log_likelihood = jnp.sum(one_hot * jax.nn.log_softmax(logits)) / y.shape[0]
    l2_regulariser = 0.5 * sum(jnp.sum(jnp.square(p)) for p in jax.tree.leaves(params))
    return -log_likelihood + 1e-4 * l2_regulariser


@jax.jit
def update(params, opt_state, x, y):
    grads = jax.grad(loss_fn)(params, x, y)
    updates, opt_state = optimiser.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, grads


network = hk.without_apply_rng(hk.transform(net_fn))
x = jax.random.normal(jax.random.key(0), (6, 4))
y = jnp.arange(6) % 3
params = network.init(jax.random.key(1), x)
optimiser = optax.adam(1e-3)
opt_state = optimiser.init(params)
gradients = []
for _ in range(2):
    params, opt_state, grads = update(params, opt_state, x, y)
    gradients.append(grads)
results = params, opt_state
