"""Batch normalization and dropout of equinox, whose state goes in and out."""

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

REQUIRES = ["equinox", "optax", "jax"]


class Model(eqx.Module):
    norm: eqx.nn.BatchNorm
    linear1: eqx.nn.Linear
    dropout: eqx.nn.Dropout
    linear2: eqx.nn.Linear

    def __init__(self, key):
        key1, key2 = jax.random.split(key)
        self.norm = eqx.nn.BatchNorm(input_size=4, axis_name="batch", mode="batch")
        self.linear1 = eqx.nn.Linear(3, 4, key=key1)
        self.dropout = eqx.nn.Dropout(0.2)
        self.linear2 = eqx.nn.Linear(4, 2, key=key2)

    def __call__(self, x, state, key):
        x, state = self.norm(self.linear1(x), state)
        h = self.dropout(jax.nn.relu(x), key=key)  #: hidden
        return self.linear2(h), state


def compute_loss(model, state, xs, ys, keys):
    batch_model = jax.vmap(model, axis_name="batch", in_axes=(0, None, 0), out_axes=(0, None))
    pred_ys, state = batch_model(xs, state, keys)
    return jnp.mean((pred_ys - ys) ** 2), state


@eqx.filter_jit
def make_step(model, state, opt_state, xs, ys, keys):
    (loss, state), grads = eqx.filter_value_and_grad(compute_loss, has_aux=True)(model, state, xs, ys, keys)
    updates, opt_state = optim.update(grads, opt_state)
    return eqx.apply_updates(model, updates), state, opt_state, loss, grads


model, state = eqx.nn.make_with_state(Model)(jax.random.key(0))
xs = jax.random.normal(jax.random.key(1), (8, 3))
ys = jnp.ones((8, 2))
optim = optax.sgd(0.05)
opt_state = optim.init(eqx.filter(model, eqx.is_inexact_array))
gradients = []
for number in range(2):
    keys = jax.random.split(jax.random.key(number), 8)
    model, state, opt_state, loss, grads = make_step(model, state, opt_state, xs, ys, keys)
    gradients.append(jax.tree.leaves(grads))
results = eqx.filter(model, eqx.is_array), loss
