"""An nnx recurrent net."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx

REQUIRES = ["flax", "optax", "jax"]


class Model(nnx.Module):
    def __init__(self, rngs):
        self.rnn = nnx.RNN(nnx.GRUCell(3, 5, rngs=rngs))
        self.head = nnx.Linear(5, 1, rngs=rngs)

    def __call__(self, x):
        h = self.rnn(x)  #: hidden
        return self.head(h[:, -1])


@nnx.jit
def train_step(model, optimizer, x, y):
    def loss_fn(model):
        return jnp.mean((model(x) - y) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss, grads


model = Model(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
x = jax.random.normal(jax.random.key(1), (4, 6, 3))
y = jnp.ones((4, 1))
gradients = []
for _ in range(2):
    loss, grads = train_step(model, optimizer, x, y)
    gradients.append(jax.tree.leaves(grads))
results = nnx.state(model, nnx.Param), loss
