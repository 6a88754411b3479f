"""A flax MLP with layer norm and dropout in a `TrainState`."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training import train_state

REQUIRES = ["flax", "optax", "jax"]


class MLP(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        x = nn.Dense(16)(x)
        x = nn.LayerNorm()(x)
        x = nn.relu(x)
        h = nn.Dropout(0.2, deterministic=not train)(x)  #: hidden
        return nn.Dense(3)(h)


@jax.jit
def train_step(state, x, y, key):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, x, True, rngs={"dropout": key})
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean(), logits

    (loss, logits), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    accuracy = jnp.mean(jnp.argmax(logits, -1) == y)
    return state.apply_gradients(grads=grads), loss, accuracy, grads


model = MLP()
x = jax.random.normal(jax.random.key(1), (8, 5))
y = jnp.arange(8) % 3
params = model.init(jax.random.key(0), x, False)["params"]
state = train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.adamw(1e-3))
gradients = []
for number in range(2):
    key = jax.random.fold_in(jax.random.key(3), number)
    state, loss, accuracy, grads = train_step(state, x, y, key)
    gradients.append(grads)
results = state.params, state.opt_state, loss, accuracy
