"""A normalizing flow of flowjax, fitted by likelihood."""

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
import paramax
from flowjax.distributions import Normal
from flowjax.flows import masked_autoregressive_flow

REQUIRES = ["flowjax", "equinox", "optax", "jax"]


def loss_fn(params, static, x):
    flow = paramax.unwrap(eqx.combine(params, static))
    log_probs = flow.log_prob(x)  #: hidden
    return -log_probs.mean()


@eqx.filter_jit
def step(params, static, opt_state, x):
    loss, grads = eqx.filter_value_and_grad(loss_fn)(params, static, x)
    updates, opt_state = optimizer.update(grads, opt_state, params)
    return eqx.apply_updates(params, updates), opt_state, loss, grads


flow = masked_autoregressive_flow(
    jax.random.key(0), base_dist=Normal(jnp.zeros(2)), flow_layers=2, nn_width=8, nn_depth=1
)
params, static = eqx.partition(flow, eqx.is_inexact_array, is_leaf=lambda leaf: isinstance(leaf, paramax.NonTrainable))
optimizer = optax.adam(1e-3)
opt_state = optimizer.init(params)
x = jax.random.normal(jax.random.key(1), (6, 2))
gradients = []
for _ in range(2):
    params, opt_state, loss, grads = step(params, static, opt_state, x)
    gradients.append(jax.tree.leaves(grads))
results = params, loss
