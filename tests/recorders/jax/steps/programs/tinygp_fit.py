"""A Gaussian process of tinygp, fitted by likelihood."""

import jax
import jax.numpy as jnp
from tinygp import GaussianProcess, kernels

REQUIRES = ["tinygp", "jax"]


def loss_fn(params, x, y):
    amplitude = jnp.exp(params["log_amplitude"])  #: hidden
    kernel = amplitude * kernels.Matern32(jnp.exp(params["log_scale"]))
    gp = GaussianProcess(kernel, x, diag=jnp.exp(params["log_diag"]), mean=params["mean"])
    return -gp.log_probability(y)


@jax.jit
def step(params, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    return jax.tree.map(lambda param, grad: param - 0.01 * grad, params, grads), loss, grads


params = {
    "log_amplitude": jnp.array(0.2),
    "log_scale": jnp.array(-0.3),
    "log_diag": jnp.array(-1.0),
    "mean": jnp.array(0.1),
}
x = jnp.linspace(0.0, 2.0, 7)
y = jnp.sin(3.0 * x)
gradients = []
for _ in range(2):
    params, loss, grads = step(params, x, y)
    gradients.append(grads)
results = params, loss
