"""Three steps of Adam on a classifier."""

import jax
import jax.numpy as jnp
import optax

REQUIRES = ["optax", "jax"]


def loss_of(params, x, labels):
    h = jnp.tanh(x @ params["w1"] + params["b1"])  #: hidden
    logits = h @ params["w2"]  #: hidden logits
    loss = optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()  #: loss
    return loss


keys = jax.random.split(jax.random.key(0), 3)
params = {
    "w1": 0.5 * jax.random.normal(keys[0], (4, 8)),
    "b1": jnp.zeros(8),
    "w2": 0.5 * jax.random.normal(keys[1], (8, 3)),
}
x = jax.random.normal(keys[2], (6, 4))  #: data
labels = jnp.array([0, 1, 2, 0, 1, 2])
optimizer = optax.adam(1e-2)
state = optimizer.init(params)
for _ in range(3):
    loss, gradients = jax.value_and_grad(loss_of)(params, x, labels)  #: backward
    updates, state = optimizer.update(gradients, state)
    params = optax.apply_updates(params, updates)
