"""Adversarial training: the gradient by the images moves them, then that by the parameters is taken."""

import jax
import jax.numpy as jnp
import optax

REQUIRES = ["optax", "jax"]


def loss_fn(params, images, labels):
    h = jnp.tanh(images @ params["w"])  #: hidden
    logits = h @ params["v"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


@jax.jit
def train_step(params, opt_state, images, labels):
    slopes = jax.grad(loss_fn, argnums=1)(params, images, labels)
    attacked = images + 0.1 * jnp.sign(slopes)
    loss, grads = jax.value_and_grad(loss_fn)(params, attacked, labels)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss, slopes, grads


keys = jax.random.split(jax.random.key(0), 3)
params = {"w": jax.random.normal(keys[0], (5, 6)), "v": jax.random.normal(keys[1], (6, 3))}
images = jax.random.normal(keys[2], (6, 5))
labels = jnp.arange(6) % 3
optimizer = optax.adam(1e-2)
opt_state = optimizer.init(params)
gradients = []
for _ in range(2):
    params, opt_state, loss, slopes, grads = train_step(params, opt_state, images, labels)
    gradients += [slopes, grads]
results = params, loss
