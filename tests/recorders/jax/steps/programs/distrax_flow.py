"""A density of distrax: a bijector on a normal, fitted by likelihood."""

import distrax
import jax
import jax.numpy as jnp
import optax

REQUIRES = ["distrax", "optax", "jax"]


def loss_fn(params, data):
    base = distrax.MultivariateNormalDiag(jnp.zeros(2), jnp.ones(2))
    bijector = distrax.Chain(
        [
            distrax.Block(distrax.ScalarAffine(params["shift"], log_scale=params["log_scale"]), 1),
            distrax.Block(distrax.Tanh(), 1),
        ]
    )
    flow = distrax.Transformed(base, distrax.Inverse(bijector))
    log_probs = flow.log_prob(data)  #: hidden
    return -jnp.mean(log_probs)


@jax.jit
def update(params, opt_state, data):
    loss, grads = jax.value_and_grad(loss_fn)(params, data)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss, grads


params = {"shift": jnp.array([0.3, -0.2]), "log_scale": jnp.array([0.1, 0.2])}
data = jax.random.normal(jax.random.key(0), (7, 2))
optimizer = optax.adam(1e-2)
opt_state = optimizer.init(params)
gradients = []
for _ in range(2):
    params, opt_state, loss, grads = update(params, opt_state, data)
    gradients.append(grads)
results = params, loss
