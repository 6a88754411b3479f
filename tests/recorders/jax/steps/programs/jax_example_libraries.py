"""The MNIST example of JAX, with its own layers and optimizers."""

import jax
import jax.numpy as jnp
from jax.example_libraries import optimizers, stax

REQUIRES = ["jax"]

init_random_params, predict = stax.serial(stax.Dense(8), stax.Relu, stax.Dense(3), stax.LogSoftmax)
opt_init, opt_update, get_params = optimizers.momentum(0.01, mass=0.9)


def loss_fn(params, batch):
    inputs, targets = batch
    preds = predict(params, inputs)  #: hidden
    return -jnp.mean(jnp.sum(preds * targets, axis=1))


@jax.jit
def update(number, opt_state, batch):
    params = get_params(opt_state)
    grads = jax.grad(loss_fn)(params, batch)
    return opt_update(number, grads, opt_state), grads


_, params = init_random_params(jax.random.key(0), (-1, 5))
opt_state = opt_init(params)
batch = jax.random.normal(jax.random.key(1), (6, 5)), jax.nn.one_hot(jnp.arange(6) % 3, 3)
gradients = []
for number in range(3):
    opt_state, grads = update(number, opt_state, batch)
    gradients.append(grads)
results = get_params(opt_state)
