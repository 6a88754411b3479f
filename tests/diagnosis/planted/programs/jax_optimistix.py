"""A fixed point that optimistix finds, differentiated by the parameters it depends on."""

import jax
import jax.numpy as jnp
import optimistix as optx

REQUIRES = ["optimistix", "jax"]


def loss_of(params, x, y):
    def step(h, args):
        return jnp.tanh(params["w"] @ h + x @ params["u"])

    solver = optx.FixedPointIteration(rtol=1e-5, atol=1e-5)
    h = optx.fixed_point(step, solver, jnp.zeros(4)).value  #: hidden
    loss = jnp.sum((h - y) ** 2)  #: loss
    return loss


keys = jax.random.split(jax.random.key(0), 4)
params = {"w": 0.1 * jax.random.normal(keys[0], (4, 4)), "u": jax.random.normal(keys[1], (3, 4))}
x = jax.random.normal(keys[2], (3,))  #: data
y = jax.random.normal(keys[3], (4,))
gradients = jax.grad(loss_of)(params, x, y)  #: backward
