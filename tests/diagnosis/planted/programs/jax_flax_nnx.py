"""An nnx module, split into its graph and its state."""

import jax
import jax.numpy as jnp
from flax import nnx

REQUIRES = ["flax", "jax"]


class Net(nnx.Module):
    def __init__(self, rngs):
        self.first = nnx.Linear(4, 8, rngs=rngs)
        self.last = nnx.Linear(8, 1, rngs=rngs)

    def __call__(self, x):
        h = nnx.tanh(self.first(x))  #: hidden
        return self.last(h)


def loss_of(state, x, y):
    net = nnx.merge(graph, state)
    prediction = net(x)  #: hidden
    loss = jnp.mean((prediction - y) ** 2)  #: loss
    return loss


graph, state = nnx.split(Net(nnx.Rngs(0)))
x = jax.random.normal(jax.random.key(1), (6, 4))  #: data
y = jax.random.normal(jax.random.key(2), (6, 1))  #: target
slopes = jax.grad(loss_of)(state, x, y)  #: backward
gradients = jax.tree.leaves(slopes)
