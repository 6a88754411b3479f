"""Meta-learning: the gradient of a loss after a step of gradient descent, for each task."""

import jax
import jax.numpy as jnp

REQUIRES = ["jax"]


def loss_fn(params, x, y):
    h = jnp.sin(x @ params["w"])  #: hidden
    return jnp.mean((h @ params["v"] - y) ** 2)


def adapted_loss(params, x, y, held_x, held_y):
    slopes = jax.grad(loss_fn)(params, x, y)
    adapted = jax.tree.map(lambda each, slope: each - 0.1 * slope, params, slopes)
    return loss_fn(adapted, held_x, held_y)


@jax.jit
def step(params, tasks):
    def outer(params):
        return jnp.mean(jax.vmap(adapted_loss, in_axes=(None, 0, 0, 0, 0))(params, *tasks))

    loss, grads = jax.value_and_grad(outer)(params)
    return jax.tree.map(lambda each, grad: each - 0.01 * grad, params, grads), loss, grads


keys = jax.random.split(jax.random.key(0), 6)
params = {"w": jax.random.normal(keys[0], (2, 5)), "v": jax.random.normal(keys[1], (5,))}
tasks = (
    jax.random.normal(keys[2], (3, 4, 2)),
    jax.random.normal(keys[3], (3, 4)),
    jax.random.normal(keys[4], (3, 4, 2)),
    jax.random.normal(keys[5], (3, 4)),
)
gradients = []
for _ in range(2):
    params, loss, grads = step(params, tasks)
    gradients.append(grads)
results = params, loss
