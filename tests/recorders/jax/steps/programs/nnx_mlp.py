"""An nnx model with batch normalization and dropout, under `nnx.jit`, which writes into both."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx

REQUIRES = ["flax", "optax", "jax"]


class Model(nnx.Module):
    def __init__(self, din, dmid, dout, rngs):
        self.linear = nnx.Linear(din, dmid, rngs=rngs)
        self.bn = nnx.BatchNorm(dmid, rngs=rngs)
        self.dropout = nnx.Dropout(0.2, rngs=rngs)
        self.linear_out = nnx.Linear(dmid, dout, rngs=rngs)

    def __call__(self, x):
        x = nnx.relu(self.dropout(self.bn(self.linear(x))))  #: hidden
        return self.linear_out(x)


@nnx.jit
def train_step(model, optimizer, x, y):
    def loss_fn(model):
        y_pred = model(x)
        return jnp.mean((y_pred - y) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss, grads


model = Model(5, 16, 1, nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
x = jax.random.normal(jax.random.key(1), (8, 5))
y = jnp.ones((8, 1))
gradients = []
for _ in range(2):
    loss, grads = train_step(model, optimizer, x, y)
    gradients.append(jax.tree.leaves(grads))
results = nnx.state(model, nnx.Param, nnx.BatchStat), loss
