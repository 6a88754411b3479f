"""Matrix products in bfloat16 with a loss in float32."""

import jax
import jax.numpy as jnp

REQUIRES = ["jax"]


@jax.jit
def step(w, v, x, y):
    def loss_fn(w, v):
        h = jax.nn.relu(x.astype(jnp.bfloat16) @ w.astype(jnp.bfloat16))  #: hidden
        prediction = (h @ v.astype(jnp.bfloat16)).astype(jnp.float32)
        return jnp.mean((prediction - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn, argnums=(0, 1))(w, v)
    return w - 0.1 * grads[0], v - 0.1 * grads[1], loss, grads


keys = jax.random.split(jax.random.key(0), 4)
w, v = jax.random.normal(keys[0], (4, 6)), jax.random.normal(keys[1], (6, 1))
x, y = jax.random.normal(keys[2], (5, 4)), jax.random.normal(keys[3], (5, 1))
gradients = []
for _ in range(2):
    w, v, loss, grads = step(w, v, x, y)
    gradients.append(grads)
results = w, v, loss
