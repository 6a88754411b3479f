"""A ridge regression of lineax, whose penalty is fitted to held-out data."""

import jax
import jax.numpy as jnp
import lineax as lx

REQUIRES = ["lineax", "jax"]


@jax.jit
def step(log_penalty, x, y, held_x, held_y):
    def loss_fn(log_penalty):
        rows = jnp.concatenate([x, jnp.exp(log_penalty) * jnp.eye(3)])
        solution = lx.linear_solve(
            lx.MatrixLinearOperator(rows), jnp.concatenate([y, jnp.zeros(3)]), solver=lx.AutoLinearSolver(None)
        )
        prediction = held_x @ solution.value  #: hidden
        return jnp.mean((prediction - held_y) ** 2)

    loss, grad = jax.value_and_grad(loss_fn)(log_penalty)
    return log_penalty - 0.1 * grad, loss, grad


keys = jax.random.split(jax.random.key(0), 4)
x, held_x = jax.random.normal(keys[0], (8, 3)), jax.random.normal(keys[1], (4, 3))
y, held_y = jax.random.normal(keys[2], (8,)), jax.random.normal(keys[3], (4,))
log_penalty = jnp.array(-1.0)
gradients = []
for _ in range(2):
    log_penalty, loss, grad = step(log_penalty, x, y, held_x, held_y)
    gradients.append(grad)
results = log_penalty, loss
