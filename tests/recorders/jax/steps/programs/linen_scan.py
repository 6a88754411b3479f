"""A stack of flax layers, lifted by `nn.scan`, with the parameters of all in one array."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

REQUIRES = ["flax", "optax", "jax"]


class Layer(nn.Module):
    @nn.compact
    def __call__(self, x, _):
        return nn.relu(x + nn.Dense(5)(x)), None


class Stack(nn.Module):
    @nn.compact
    def __call__(self, x):
        layers = nn.scan(Layer, variable_axes={"params": 0}, split_rngs={"params": True}, length=3)
        h, _ = layers()(x, None)
        h = nn.LayerNorm()(h)  #: hidden
        return nn.Dense(1)(h)[:, 0]


@jax.jit
def train_step(params, x, y):
    def loss_fn(params):
        return optax.huber_loss(net.apply(params, x), y).mean()

    loss, grads = jax.value_and_grad(loss_fn)(params)
    return jax.tree.map(lambda param, grad: param - 0.1 * grad, params, grads), loss, grads


net = Stack()
x = jax.random.normal(jax.random.key(0), (6, 5))
y = jnp.linspace(-1.0, 1.0, 6)
params = net.init(jax.random.key(1), x)
gradients = []
for _ in range(2):
    params, loss, grads = train_step(params, x, y)
    gradients.append(grads)
results = params, loss
