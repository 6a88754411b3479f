"""An nnx model that is not compiled."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx

REQUIRES = ["flax", "optax", "jax"]


class Model(nnx.Module):
    def __init__(self, rngs):
        self.linear1 = nnx.Linear(4, 8, rngs=rngs)
        self.linear2 = nnx.Linear(8, 2, rngs=rngs)

    def __call__(self, x):
        h = nnx.gelu(self.linear1(x))  #: hidden
        return self.linear2(h)


def loss_fn(model, x, y):
    logits = model(x)
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


model = Model(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
x = jax.random.normal(jax.random.key(1), (6, 4))
y = jnp.array([0, 1, 0, 1, 1, 0])
gradients = []
for _ in range(2):
    loss, grads = nnx.value_and_grad(loss_fn)(model, x, y)
    optimizer.update(model, grads)
    gradients.append(jax.tree.leaves(grads))
results = nnx.state(model), loss
