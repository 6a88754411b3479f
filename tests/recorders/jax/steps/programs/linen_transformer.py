"""A block of a flax transformer: causal attention, and a loss of the next token."""

import flax.linen as nn
import jax
import optax

REQUIRES = ["flax", "optax", "jax"]


class Block(nn.Module):
    @nn.compact
    def __call__(self, tokens):
        x = nn.Embed(11, 8)(tokens)
        x = x + self.param("positions", nn.initializers.normal(0.1), (tokens.shape[1], 8))
        mask = nn.make_causal_mask(tokens)
        x = x + nn.MultiHeadDotProductAttention(num_heads=2)(nn.LayerNorm()(x), mask=mask)  #: hidden
        y = nn.gelu(nn.Dense(16)(nn.LayerNorm()(x)))
        x = x + nn.Dense(8)(y)
        return nn.Dense(11)(nn.LayerNorm()(x))


@jax.jit
def train_step(params, opt_state, tokens):
    def loss_fn(params):
        logits = model.apply(params, tokens[:, :-1])
        return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()

    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss, grads


model = Block()
tokens = jax.random.randint(jax.random.key(0), (3, 7), 0, 11)
params = model.init(jax.random.key(1), tokens[:, :-1])
tx = optax.adamw(1e-3)
opt_state = tx.init(params)
gradients = []
for _ in range(2):
    params, opt_state, loss, grads = train_step(params, opt_state, tokens)
    gradients.append(grads)
results = params, loss
