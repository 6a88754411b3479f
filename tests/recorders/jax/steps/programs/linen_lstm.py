"""A flax LSTM over a batch of sequences."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

REQUIRES = ["flax", "optax", "jax"]


class Tagger(nn.Module):
    @nn.compact
    def __call__(self, x):
        h = nn.RNN(nn.OptimizedLSTMCell(6))(x)  #: hidden
        return nn.Dense(2)(h)


@jax.jit
def train_step(params, opt_state, x, y):
    def loss_fn(params):
        logits = model.apply(params, x)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss, grads


model = Tagger()
x = jax.random.normal(jax.random.key(0), (3, 5, 4))
y = jnp.arange(15).reshape(3, 5) % 2
params = model.init(jax.random.key(1), x)
tx = optax.adam(1e-2)
opt_state = tx.init(params)
gradients = []
for _ in range(2):
    params, opt_state, loss, grads = train_step(params, opt_state, x, y)
    gradients.append(grads)
results = params, loss
