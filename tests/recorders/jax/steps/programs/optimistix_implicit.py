"""A root found by optimistix, differentiated implicitly."""

import jax
import jax.numpy as jnp
import optimistix as optx

REQUIRES = ["optimistix", "jax"]


def fn(y, args):
    a, b = y
    c = jnp.tanh(jnp.sum(b - args))
    d = a**2 - jnp.sinh(b + 1)
    return c + 0.5 * a, d


@jax.jit
def step(args):
    def loss_fn(args):
        solution = optx.root_find(fn, optx.Newton(rtol=1e-6, atol=1e-6), (jnp.array(0.5), jnp.zeros((2, 2))), args)
        a, b = solution.value
        h = a + jnp.sum(b**2)  #: hidden
        return (h - 1.0) ** 2

    grads = jax.grad(loss_fn)(args)
    return args - 0.1 * grads, grads


args = jnp.array([[0.1, 0.2], [0.3, 0.4]])
gradients = []
for _ in range(2):
    args, grads = step(args)
    gradients.append(grads)
results = args
