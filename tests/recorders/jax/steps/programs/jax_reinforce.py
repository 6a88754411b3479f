"""A policy gradient with a custom derivative, and a straight-through estimate."""

import jax
import jax.numpy as jnp

REQUIRES = ["jax"]


@jax.custom_vjp
def scaled(x):
    return x


def scaled_forward(x):
    return x, None


def scaled_backward(_, cotangent):
    return (0.5 * cotangent,)


scaled.defvjp(scaled_forward, scaled_backward)


@jax.jit
def step(params, x, rewards):
    def loss_fn(params):
        h = scaled(jnp.tanh(x @ params["w"]))  #: hidden
        gate = jax.nn.sigmoid(h)
        hard = gate + jax.lax.stop_gradient(jnp.round(gate) - gate)
        log_probs = jax.nn.log_softmax(hard @ params["v"])
        return -jnp.mean(rewards * log_probs[:, 0])

    loss, grads = jax.value_and_grad(loss_fn)(params)
    return jax.tree.map(lambda param, grad: param - 0.1 * grad, params, grads), loss, grads


keys = jax.random.split(jax.random.key(0), 4)
params = {"w": jax.random.normal(keys[0], (4, 6)), "v": jax.random.normal(keys[1], (6, 3))}
x = jax.random.normal(keys[2], (7, 4))
rewards = jax.random.normal(keys[3], (7,))
gradients = []
for _ in range(2):
    params, loss, grads = step(params, x, rewards)
    gradients.append(grads)
results = params, loss
