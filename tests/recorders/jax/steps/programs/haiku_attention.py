"""A haiku transformer layer with dropout, whose key is split within the step."""

import haiku as hk
import jax
import jax.numpy as jnp
import optax

REQUIRES = ["dm-haiku", "optax", "jax"]


def forward(tokens):
    x = hk.Embed(9, 8)(tokens)
    attention = hk.MultiHeadAttention(2, 4, w_init=hk.initializers.VarianceScaling(1.0), model_size=8)
    x = x + hk.dropout(hk.next_rng_key(), 0.1, attention(x, x, x))  #: hidden
    x = hk.LayerNorm(-1, True, True)(x)
    return hk.Linear(9)(x)


@jax.jit
def update(params, opt_state, key, tokens):
    key, this = jax.random.split(key)

    def loss_fn(params):
        logits = network.apply(params, this, tokens)
        return optax.softmax_cross_entropy_with_integer_labels(logits, jnp.roll(tokens, -1, 1)).mean()

    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, opt_state = optimizer.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, key, loss, grads


network = hk.transform(forward)
tokens = jax.random.randint(jax.random.key(0), (2, 5), 0, 9)
params = network.init(jax.random.key(1), tokens)
optimizer = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(1e-3))
opt_state = optimizer.init(params)
key = jax.random.key(2)
gradients = []
for _ in range(2):
    params, opt_state, key, loss, grads = update(params, opt_state, key, tokens)
    gradients.append(grads)
results = params, loss
