"""A linen module with a train state."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState

REQUIRES = ["flax", "optax", "jax"]


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        h = nn.tanh(nn.Dense(8)(x))  #: hidden
        h = nn.LayerNorm()(h)  #: hidden
        return nn.Dense(1)(h)


def loss_of(params, x, y):
    prediction = net.apply({"params": params}, x)  #: hidden
    loss = jnp.mean((prediction - y) ** 2)  #: loss
    return loss


keys = jax.random.split(jax.random.key(0), 3)
x = jax.random.normal(keys[0], (6, 4))  #: data
y = jax.random.normal(keys[1], (6, 1))  #: target
net = Net()
state = TrainState.create(apply_fn=net.apply, params=net.init(keys[2], x)["params"], tx=optax.adam(1e-2))
for _ in range(2):
    loss, gradients = jax.value_and_grad(loss_of)(state.params, x, y)  #: backward
    state = state.apply_gradients(grads=gradients)
