"""A linear solve of lineax, differentiated by its matrix and its right-hand side."""

import jax
import jax.numpy as jnp
import lineax as lx

REQUIRES = ["lineax", "jax"]


def loss_fn(matrix, vector):
    operator = lx.MatrixLinearOperator(matrix @ matrix.T + jnp.eye(3), lx.positive_semidefinite_tag)
    solution = lx.linear_solve(operator, vector, solver=lx.Cholesky())
    found = solution.value * 1.0  #: hidden
    return jnp.sum(found**2)


@jax.jit
def step(matrix, vector):
    grads = jax.grad(loss_fn, argnums=(0, 1))(matrix, vector)
    return matrix - 0.1 * grads[0], vector - 0.1 * grads[1], grads


matrix = jax.random.normal(jax.random.key(0), (3, 3))
vector = jax.random.normal(jax.random.key(1), (3,))
gradients = []
for _ in range(2):
    matrix, vector, grads = step(matrix, vector)
    gradients.append(grads)
results = matrix, vector
