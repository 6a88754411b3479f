"""A variational autoencoder in flax, with the noise of its own stream of keys."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training import train_state

REQUIRES = ["flax", "optax", "jax"]


class VAE(nn.Module):
    def setup(self):
        self.encoder = nn.Dense(8)
        self.mean = nn.Dense(2)
        self.logvar = nn.Dense(2)
        self.decoder = nn.Dense(6)

    def __call__(self, x, key):
        h = nn.relu(self.encoder(x))
        mean, logvar = self.mean(h), self.logvar(h)
        z = mean + jnp.exp(0.5 * logvar) * jax.random.normal(key, mean.shape)  #: hidden
        return self.decoder(z), mean, logvar


@jax.jit
def train_step(state, batch, key):
    def loss_fn(params):
        logits, mean, logvar = state.apply_fn({"params": params}, batch, key)
        bce = -jnp.sum(batch * nn.log_sigmoid(logits) + (1 - batch) * jnp.log(-jnp.expm1(nn.log_sigmoid(logits))), -1)
        kld = -0.5 * jnp.sum(1 + logvar - mean**2 - jnp.exp(logvar), -1)
        return jnp.mean(bce) + jnp.mean(kld)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss, grads


vae = VAE()
batch = (jax.random.uniform(jax.random.key(0), (5, 6)) > 0.5).astype(jnp.float32)
params = vae.init(jax.random.key(1), batch, jax.random.key(2))["params"]
state = train_state.TrainState.create(apply_fn=vae.apply, params=params, tx=optax.adam(1e-3))
gradients = []
for number in range(2):
    state, loss, grads = train_step(state, batch, jax.random.key(10 + number))
    gradients.append(grads)
results = state.params, loss
