"""A regression with a distribution of TensorFlow Probability's JAX substrate."""

import jax
import jax.numpy as jnp
import optax
from tensorflow_probability.substrates import jax as tfp

REQUIRES = ["tensorflow-probability", "optax", "jax"]

tfd = tfp.distributions


@jax.jit
def train_step(params, opt_state, x, y):
    def loss_fn(params):
        mean = x @ params["w"] + params["b"]  #: hidden
        likelihood = tfd.Independent(tfd.Normal(mean, jax.nn.softplus(params["scale"])), 1)
        prior = tfd.JointDistributionNamed({"w": tfd.Sample(tfd.Normal(0.0, 1.0), 3)})
        return -likelihood.log_prob(y) - prior.log_prob({"w": params["w"]})

    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss, grads


keys = jax.random.split(jax.random.key(0), 2)
params = {"w": jnp.array([0.1, 0.2, 0.3]), "b": jnp.array(0.5), "scale": jnp.array(0.3)}
x, y = jax.random.normal(keys[0], (8, 3)), jax.random.normal(keys[1], (8,))
optimizer = optax.adam(1e-2)
opt_state = optimizer.init(params)
gradients = []
for _ in range(2):
    params, opt_state, loss, grads = train_step(params, opt_state, x, y)
    gradients.append(grads)
results = params, loss
