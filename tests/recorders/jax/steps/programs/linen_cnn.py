"""A flax convolutional net with batch normalization, whose statistics are a second collection."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

REQUIRES = ["flax", "optax", "jax"]


class CNN(nn.Module):
    @nn.compact
    def __call__(self, x, train: bool):
        x = nn.Conv(4, (3, 3))(x)
        x = nn.BatchNorm(use_running_average=not train)(x)
        h = nn.relu(x)  #: hidden
        h = nn.avg_pool(h, (2, 2), (2, 2))
        return nn.Dense(2)(h.reshape((h.shape[0], -1)))


@jax.jit
def train_step(params, stats, opt_state, x, y):
    def loss_fn(params):
        variables = {"params": params, "batch_stats": stats}
        logits, new = model.apply(variables, x, train=True, mutable=["batch_stats"])
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean(), new["batch_stats"]

    (loss, stats), grads = jax.value_and_grad(loss_fn, has_aux=True)(params)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), stats, opt_state, loss, grads


model = CNN()
x = jax.random.normal(jax.random.key(0), (4, 8, 8, 1))
y = jnp.array([0, 1, 0, 1])
variables = model.init(jax.random.key(1), x, train=True)
params, stats = variables["params"], variables["batch_stats"]
tx = optax.sgd(0.1, momentum=0.9)
opt_state = tx.init(params)
gradients = []
for _ in range(2):
    params, stats, opt_state, loss, grads = train_step(params, stats, opt_state, x, y)
    gradients.append(grads)
results = params, stats, loss
