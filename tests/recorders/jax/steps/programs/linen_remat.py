"""Layers of flax whose activations are computed anew for the backward pass."""

import flax.linen as nn
import jax
import jax.numpy as jnp

REQUIRES = ["flax", "jax"]


class Layer(nn.Module):
    @nn.compact
    def __call__(self, x):
        return x + nn.tanh(nn.Dense(x.shape[-1])(x))


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        for _ in range(3):
            x = nn.remat(Layer)()(x)
        h = nn.swish(x)  #: hidden
        return nn.Dense(1)(h)


@jax.jit
def train_step(params, x, y):
    def loss_fn(params):
        prediction = net.apply(params, x)  #: hidden
        return jnp.mean((prediction - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(params)  #: backward
    return jax.tree.map(lambda param, grad: param - 0.1 * grad, params, grads), loss, grads


net = Net()
x = jax.random.normal(jax.random.key(0), (6, 4))
y = jnp.ones((6, 1))
params = net.init(jax.random.key(1), x)
params, loss, grads = train_step(params, x, y)
gradients = [grads]
results = params, loss
