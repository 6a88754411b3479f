"""A least-squares fit within a loss, by Levenberg and Marquardt."""

import jax
import jax.numpy as jnp
import optimistix as optx

REQUIRES = ["optimistix", "jax"]


def residuals(y, args):
    x, target = args
    return jnp.exp(-y[0] * x) * y[1] - target


@jax.jit
def step(target):
    def loss_fn(target):
        solver = optx.LevenbergMarquardt(rtol=1e-5, atol=1e-5)
        solution = optx.least_squares(residuals, solver, jnp.array([0.5, 1.0]), (x, target), throw=False)
        decay = solution.value[0]  #: hidden
        return decay**2

    grads = jax.grad(loss_fn)(target)
    return target - 0.1 * grads, grads


x = jnp.linspace(0.0, 2.0, 6)
target = 1.5 * jnp.exp(-0.8 * x) + 0.01 * jnp.sin(9.0 * x)
target, grads = step(target)
gradients = [grads]
results = target
