"""A Gaussian process of TensorFlow Probability's JAX substrate, whose kernel is fitted."""

import jax
import jax.numpy as jnp
import optax
from tensorflow_probability.substrates import jax as tfp

REQUIRES = ["tensorflow-probability", "optax", "jax"]


@jax.jit
def train_step(params, opt_state, x, y):
    def loss_fn(params):
        positive = jax.tree.map(jnp.exp, params)
        amplitude = positive["amplitude"] * 1.0  #: hidden
        kernel = tfp.math.psd_kernels.ExponentiatedQuadratic(amplitude, positive["length"])
        process = tfp.distributions.GaussianProcess(kernel, x, observation_noise_variance=positive["noise"])
        return -process.log_prob(y)

    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss, grads


params = {"amplitude": jnp.array(0.1), "length": jnp.array(-0.5), "noise": jnp.array(-1.0)}
x = jnp.linspace(-1.0, 1.0, 6)[:, None]
y = jnp.sin(3.0 * x[:, 0])
optimizer = optax.adam(1e-2)
opt_state = optimizer.init(params)
gradients = []
for _ in range(2):
    params, opt_state, loss, grads = train_step(params, opt_state, x, y)
    gradients.append(grads)
results = params, loss
