"""A convolutional net of haiku, with the state of its batch normalization."""

import haiku as hk
import jax
import jax.numpy as jnp
import optax

REQUIRES = ["dm-haiku", "optax", "jax"]


def forward(images, is_training):
    h = hk.Conv2D(3, 3)(images)
    h = hk.BatchNorm(True, True, 0.9)(h, is_training)
    h = jax.nn.elu(h)  #: hidden
    return hk.Linear(2)(hk.Flatten()(h))


@jax.jit
def train_step(params, state, opt_state, images, labels):
    def loss_fn(params, state):
        logits, state = network.apply(params, state, images, is_training=True)
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean(), state

    (loss, state), grads = jax.value_and_grad(loss_fn, has_aux=True)(params, state)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), state, opt_state, loss, grads


network = hk.without_apply_rng(hk.transform_with_state(forward))
images = jax.random.normal(jax.random.key(0), (4, 5, 5, 1))
labels = jnp.array([0, 1, 1, 0])
params, state = network.init(jax.random.key(1), images, is_training=True)
optimizer = optax.chain(optax.trace(decay=0.9), optax.scale(-0.05))
opt_state = optimizer.init(params)
gradients = []
for _ in range(2):
    params, state, opt_state, loss, grads = train_step(params, state, opt_state, images, labels)
    gradients.append(grads)
results = params, state, loss
