"""An equinox module, partitioned into its arrays and the rest."""

import equinox as eqx
import jax
import jax.numpy as jnp

REQUIRES = ["equinox", "jax"]


class Net(eqx.Module):
    first: eqx.nn.Linear
    last: eqx.nn.Linear

    def __init__(self, key):
        keys = jax.random.split(key)
        self.first, self.last = eqx.nn.Linear(4, 8, key=keys[0]), eqx.nn.Linear(8, 1, key=keys[1])

    def __call__(self, x):
        h = jax.nn.gelu(self.first(x))  #: hidden
        return self.last(h)


def loss_of(arrays, x, y):
    net = eqx.combine(arrays, static)
    prediction = jax.vmap(net)(x)  #: hidden
    loss = jnp.mean((prediction - y) ** 2)  #: loss
    return loss


keys = jax.random.split(jax.random.key(0), 3)
arrays, static = eqx.partition(Net(keys[0]), eqx.is_array)
x = jax.random.normal(keys[1], (6, 4))  #: data
y = jax.random.normal(keys[2], (6, 1))  #: target
slopes = jax.grad(loss_of)(arrays, x, y)  #: backward
gradients = jax.tree.leaves(slopes)
