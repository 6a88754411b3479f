"""Ridge regression: a linear solve by lineax, differentiated by its penalty and its features."""

import jax
import jax.numpy as jnp
import lineax as lx

REQUIRES = ["lineax", "jax"]


def loss_of(params, x, y):
    features = jnp.tanh(x @ params["w"])  #: hidden
    matrix = features.T @ features + jnp.exp(params["log_penalty"]) * jnp.eye(3)
    weights = lx.linear_solve(lx.MatrixLinearOperator(matrix), features.T @ y, lx.LU()).value  #: hidden
    loss = jnp.mean((features @ weights - y) ** 2)  #: loss
    return loss


keys = jax.random.split(jax.random.key(0), 3)
params = {"w": jax.random.normal(keys[0], (4, 3)), "log_penalty": jnp.float32(-1.0)}
x = jax.random.normal(keys[1], (10, 4))  #: data
y = jax.random.normal(keys[2], (10,))
gradients = jax.grad(loss_of)(params, x, y)  #: backward
