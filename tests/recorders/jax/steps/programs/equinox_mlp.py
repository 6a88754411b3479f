"""An equinox MLP under `filter_jit` and `filter_value_and_grad`."""

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

REQUIRES = ["equinox", "optax", "jax"]


@eqx.filter_value_and_grad
def compute_loss(model, x, y):
    prediction = jax.vmap(model)(x)  #: hidden
    return jnp.mean((prediction - y) ** 2)


@eqx.filter_jit
def make_step(model, x, y, opt_state):
    loss, grads = compute_loss(model, x, y)
    updates, opt_state = optim.update(grads, opt_state)
    return loss, eqx.apply_updates(model, updates), opt_state, grads


model = eqx.nn.MLP(4, 2, 8, 2, key=jax.random.key(0))
optim = optax.adam(1e-2)
opt_state = optim.init(eqx.filter(model, eqx.is_array))
x = jax.random.normal(jax.random.key(1), (6, 4))
y = jnp.ones((6, 2))
gradients = []
for _ in range(2):
    loss, model, opt_state, grads = make_step(model, x, y, opt_state)
    gradients.append(jax.tree.leaves(grads))
results = loss, eqx.filter(model, eqx.is_array)
