"""A convolutional net of equinox, one image at a time under `vmap`."""

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

REQUIRES = ["equinox", "optax", "jax"]


class CNN(eqx.Module):
    layers: list

    def __init__(self, key):
        key1, key2, key3 = jax.random.split(key, 3)
        self.layers = [
            eqx.nn.Conv2d(1, 3, kernel_size=3, key=key1),
            eqx.nn.MaxPool2d(kernel_size=2),
            jax.nn.relu,
            jnp.ravel,
            eqx.nn.Linear(3 * 5 * 5, 8, key=key2),
            jax.nn.sigmoid,
            eqx.nn.Linear(8, 3, key=key3),
            jax.nn.log_softmax,
        ]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def loss(model, x, y):
    pred_y = jax.vmap(model)(x)  #: hidden
    return -jnp.mean(jnp.take_along_axis(pred_y, jnp.expand_dims(y, 1), axis=1))


@eqx.filter_jit
def make_step(model, opt_state, x, y):
    loss_value, grads = eqx.filter_value_and_grad(loss)(model, x, y)
    updates, opt_state = optim.update(grads, opt_state, eqx.filter(model, eqx.is_array))
    return eqx.apply_updates(model, updates), opt_state, loss_value, grads


model = CNN(jax.random.key(0))
optim = optax.adamw(3e-4)
opt_state = optim.init(eqx.filter(model, eqx.is_array))
x = jax.random.normal(jax.random.key(1), (4, 1, 8, 8))
y = jnp.array([0, 1, 2, 1])
gradients = []
for _ in range(2):
    model, opt_state, train_loss, grads = make_step(model, opt_state, x, y)
    gradients.append(jax.tree.leaves(grads))
results = eqx.filter(model, eqx.is_array), train_loss
