"""A masked autoregressive flow of flowjax, differentiated as equinox differentiates modules."""

import equinox as eqx
import jax
import jax.numpy as jnp
from flowjax.distributions import Normal
from flowjax.flows import masked_autoregressive_flow

REQUIRES = ["flowjax", "jax"]

key = jax.random.key(0)
flow = masked_autoregressive_flow(key, base_dist=Normal(jnp.zeros(2)), flow_layers=1, nn_width=4, nn_depth=1)
x = jax.random.normal(key, (8, 2))  #: data
moving, still = eqx.partition(flow, eqx.is_inexact_array)


def loss_of(moving, x):
    density = eqx.combine(moving, still).log_prob(x)  #: hidden
    loss = -density.mean()  #: loss
    return loss


loss, found = jax.value_and_grad(loss_of)(moving, x)  #: backward
gradients = [each for each in jax.tree_util.tree_leaves(found) if jnp.any(each != 0)]
