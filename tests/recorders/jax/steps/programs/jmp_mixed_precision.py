"""Haiku in half precision under a policy of jmp, with a scaled loss."""

import haiku as hk
import jax
import jax.numpy as jnp
import jmp

REQUIRES = ["jmp", "dm-haiku", "jax"]

policy = jmp.get_policy("params=float32,compute=float16,output=float32")


def net_fn(x):
    h = jax.nn.relu(hk.Linear(8)(x))  #: hidden
    return hk.Linear(1)(h)


@jax.jit
def train_step(params, loss_scale, x, y):
    def loss_fn(params):
        compute, inputs = policy.cast_to_compute((params, x))
        prediction = policy.cast_to_output(network.apply(compute, inputs))
        return loss_scale.scale(jnp.mean((prediction - y) ** 2))

    grads = jax.grad(loss_fn)(params)
    unscaled = loss_scale.unscale(grads)
    finite = jmp.all_finite(unscaled)
    updated = jax.tree.map(lambda param, grad: param - 0.1 * grad, params, unscaled)
    return jmp.select_tree(finite, updated, params), loss_scale.adjust(finite), grads


network = hk.without_apply_rng(hk.transform(net_fn))
x = jax.random.normal(jax.random.key(0), (6, 4))
y = jnp.ones((6, 1))
params = network.init(jax.random.key(1), x)
loss_scale = jmp.DynamicLossScale(jnp.float32(2**8))
gradients = []
for _ in range(2):
    params, loss_scale, grads = train_step(params, loss_scale, x, y)
    gradients.append(grads)
results = params, loss_scale.loss_scale
