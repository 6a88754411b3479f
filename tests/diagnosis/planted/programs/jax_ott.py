"""Points that are moved so that OTT's regularized optimal transport to others costs less."""

import jax
import jax.numpy as jnp
from ott.geometry import pointcloud
from ott.solvers import linear

REQUIRES = ["ott-jax", "jax"]


def loss_of(x, y):
    moved = x * 1.5 + 0.1  #: hidden
    geometry = pointcloud.PointCloud(moved, y, epsilon=0.1)
    cost = linear.solve(geometry).reg_ot_cost  #: hidden
    loss = jnp.square(cost)  #: loss
    return loss


keys = jax.random.split(jax.random.key(0))
x = jax.random.normal(keys[0], (6, 2))
y = jax.random.normal(keys[1], (7, 2)) + 1.0  #: data
loss, gradients = jax.value_and_grad(loss_of)(x, y)  #: backward
