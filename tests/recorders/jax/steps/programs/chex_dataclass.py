"""Parameters in a chex dataclass, with assertions about shapes in the step."""

import chex
import jax
import jax.numpy as jnp
import optax

REQUIRES = ["chex", "optax", "jax"]


@chex.dataclass
class Parameters:
    w: chex.ArrayDevice
    v: chex.ArrayDevice


@jax.jit
@chex.assert_max_traces(n=5)
def train_step(params, x, y):
    chex.assert_rank([x, y], [2, 1])

    def loss_fn(params):
        h = jax.nn.gelu(x @ params.w)  #: hidden
        chex.assert_equal_shape_prefix([h, x], 1)
        prediction = h @ params.v
        return optax.squared_error(prediction, y).mean()

    loss, grads = jax.value_and_grad(loss_fn)(params)
    return jax.tree.map(lambda param, grad: param - 0.01 * grad, params, grads), loss, grads


keys = jax.random.split(jax.random.key(0), 3)
params = Parameters(w=jax.random.normal(keys[0], (3, 5)), v=jax.random.normal(keys[1], (5,)))
x = jax.random.normal(keys[2], (6, 3))
y = jnp.linspace(0.0, 1.0, 6)
gradients = []
for _ in range(2):
    params, loss, grads = train_step(params, x, y)
    gradients.append(jax.tree.leaves(grads))
results = params, loss
