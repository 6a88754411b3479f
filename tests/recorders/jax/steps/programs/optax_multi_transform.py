"""An optimizer of its own for each part of the parameters."""

import jax
import jax.numpy as jnp
import optax

REQUIRES = ["optax", "jax"]


def loss_fn(params, tokens, y):
    embedded = params["embedding"][tokens]
    h = embedded.mean(axis=1)  #: hidden
    prediction = h @ params["head"]
    return jnp.mean(optax.log_cosh(prediction[:, 0], y))


@jax.jit
def step(params, opt_state, tokens, y):
    loss, grads = jax.value_and_grad(loss_fn)(params, tokens, y)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss, grads


keys = jax.random.split(jax.random.key(0), 3)
params = {"embedding": jax.random.normal(keys[0], (10, 4)), "head": jax.random.normal(keys[1], (4, 1))}
tokens = jax.random.randint(keys[2], (5, 3), 0, 10)
y = jnp.linspace(-1.0, 1.0, 5)
tx = optax.multi_transform(
    {"slow": optax.adafactor(1e-3), "fast": optax.lion(1e-2)}, {"embedding": "slow", "head": "fast"}
)
opt_state = tx.init(params)
gradients = []
for _ in range(2):
    params, opt_state, loss, grads = step(params, opt_state, tokens, y)
    gradients.append(grads)
results = params, loss
