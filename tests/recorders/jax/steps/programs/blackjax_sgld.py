"""Stochastic gradient Langevin dynamics of blackjax, on batches, whose gradient is also taken alone."""

import blackjax
import jax
import jax.numpy as jnp

REQUIRES = ["blackjax", "jax"]


def logprior_fn(position):
    return -0.5 * jnp.sum(position["w"] ** 2)


def loglikelihood_fn(position, batch):
    x, y = batch
    logits = x @ position["w"]  #: hidden
    return jnp.sum(y * jax.nn.log_sigmoid(logits) + (1 - y) * jax.nn.log_sigmoid(-logits))


keys = jax.random.split(jax.random.key(0), 3)
X, Y = jax.random.normal(keys[0], (12, 3)), (jnp.arange(12) % 2).astype(jnp.float32)
grad_fn = blackjax.sgmcmc.gradients.grad_estimator(logprior_fn, loglikelihood_fn, 12)
sgld = blackjax.sgld(grad_fn)
position = sgld.init({"w": jax.random.normal(keys[1], (3,))})
step = jax.jit(sgld.step)
gradients = []
for number in range(2):
    batch = X[6 * number : 6 * number + 6], Y[6 * number : 6 * number + 6]
    slopes = grad_fn(position, batch)
    gradients += [slopes, slopes]
    position = step(jax.random.key(number), position, batch, 1e-3)
results = position
