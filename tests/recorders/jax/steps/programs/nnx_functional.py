"""An nnx model, split into a graph and a state, in a step that is a pure function."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx

REQUIRES = ["flax", "optax", "jax"]


class CNN(nnx.Module):
    def __init__(self, rngs):
        self.conv = nnx.Conv(1, 4, kernel_size=(3, 3), rngs=rngs)
        self.linear = nnx.Linear(4 * 3 * 3, 2, rngs=rngs)

    def __call__(self, x):
        x = nnx.max_pool(nnx.relu(self.conv(x)), (2, 2), strides=(2, 2))
        h = x.reshape(x.shape[0], -1)  #: hidden
        return self.linear(h)


@jax.jit
def train_step(params, opt_state, x, y):
    def loss_fn(params):
        model = nnx.merge(graphdef, params)
        return optax.softmax_cross_entropy_with_integer_labels(model(x), y).mean()

    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss, grads


graphdef, params = nnx.split(CNN(nnx.Rngs(0)), nnx.Param)
tx = optax.rmsprop(1e-3)
opt_state = tx.init(params)
x = jax.random.normal(jax.random.key(1), (4, 6, 6, 1))
y = jnp.array([0, 1, 0, 1])
gradients = []
for _ in range(2):
    params, opt_state, loss, grads = train_step(params, opt_state, x, y)
    gradients.append(jax.tree.leaves(grads))
results = params, loss
