"""Gradients accumulated over micro-batches by `optax.MultiSteps`."""

import jax
import jax.numpy as jnp
import optax

REQUIRES = ["optax", "jax"]


def loss_fn(params, x, y):
    h = jax.nn.relu(x @ params["hidden"])  #: hidden
    logits = h @ params["output"]  #: logits
    loss = optax.sigmoid_binary_cross_entropy(logits[:, 0], y).mean()  #: loss
    return loss


@jax.jit
def step(params, opt_state, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    updates, opt_state = optimizer.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss, grads


keys = jax.random.split(jax.random.key(0), 3)
params = {"hidden": jax.random.normal(keys[0], (4, 6)), "output": jax.random.normal(keys[1], (6, 1))}
x = jax.random.normal(keys[2], (9, 4))  #: data
y = (jnp.arange(9) % 2).astype(jnp.float32)
optimizer = optax.MultiSteps(optax.adam(1e-2), every_k_schedule=3)
opt_state = optimizer.init(params)
gradients = []
for number in range(3):
    rows = slice(3 * number, 3 * number + 3)
    params, opt_state, loss, grads = step(params, opt_state, x[rows], y[rows])
    gradients.append(grads)
results = params, loss
