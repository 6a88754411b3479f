"""Ridge regression inside of a validation loss: jaxopt differentiates the solution by its penalty."""

import jax
import jax.numpy as jnp
import jaxopt

REQUIRES = ["jaxopt", "jax"]

keys = jax.random.split(jax.random.key(0), 4)
x, y = jax.random.normal(keys[0], (10, 3)), jax.random.normal(keys[1], (10,))
x_new, y_new = jax.random.normal(keys[2], (6, 3)), jax.random.normal(keys[3], (6,))


def objective(w, penalty):
    return jnp.mean((x @ w - y) ** 2) + 0.5 * penalty * jnp.sum(w**2)


def validation_loss(log_penalty):
    solver = jaxopt.GradientDescent(fun=objective, maxiter=50, implicit_diff=True)
    w = solver.run(jnp.zeros(3), penalty=jnp.exp(log_penalty)).params  #: hidden
    loss = jnp.mean((x_new @ w - y_new) ** 2)  #: loss
    return loss


gradients = jax.grad(validation_loss)(jnp.float32(0.3))  #: backward
