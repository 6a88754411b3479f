"""A physics-informed net, whose residue has second derivatives."""

import jax
import jax.numpy as jnp

REQUIRES = ["jax"]


def net(params, t):
    h = jnp.tanh(t * params["w"] + params["b"])  #: hidden
    return h @ params["v"]


def residue(params, t):
    accelerated = jax.grad(jax.grad(net, argnums=1), argnums=1)(params, t)
    return accelerated + net(params, t)


def loss_fn(params, times):
    inner = jax.vmap(residue, in_axes=(None, 0))(params, times)
    return jnp.mean(inner**2) + (net(params, 0.0) - 1.0) ** 2


@jax.jit
def train_step(params, times):
    loss, grads = jax.value_and_grad(loss_fn)(params, times)
    return jax.tree.map(lambda param, grad: param - 0.01 * grad, params, grads), loss, grads


keys = jax.random.split(jax.random.key(0), 3)
params = {
    "w": jax.random.normal(keys[0], (8,)),
    "b": jax.random.normal(keys[1], (8,)),
    "v": jax.random.normal(keys[2], (8,)),
}
times = jnp.linspace(0.0, 1.0, 5)
gradients = []
for _ in range(2):
    params, loss, grads = train_step(params, times)
    gradients.append(grads)
results = params, loss
