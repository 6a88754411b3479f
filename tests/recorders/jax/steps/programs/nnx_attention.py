"""An nnx encoder layer with multi-head attention, and metrics that are updated within the step."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx

REQUIRES = ["flax", "optax", "jax"]


class Encoder(nnx.Module):
    def __init__(self, rngs):
        self.embed = nnx.Embed(10, 8, rngs=rngs)
        self.attention = nnx.MultiHeadAttention(num_heads=2, in_features=8, decode=False, rngs=rngs)
        self.norm = nnx.LayerNorm(8, rngs=rngs)
        self.head = nnx.Linear(8, 2, rngs=rngs)

    def __call__(self, tokens):
        x = self.embed(tokens)
        x = self.norm(x + self.attention(x))  #: hidden
        return self.head(x.mean(axis=1))


def loss_fn(model, tokens, labels):
    logits = model(tokens)
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean(), logits


@nnx.jit
def train_step(model, optimizer, metrics, tokens, labels):
    (loss, logits), grads = nnx.value_and_grad(loss_fn, has_aux=True)(model, tokens, labels)
    metrics.update(loss=loss, logits=logits, labels=labels)
    optimizer.update(model, grads)
    return grads


model = Encoder(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adamw(1e-3), wrt=nnx.Param)
metrics = nnx.MultiMetric(accuracy=nnx.metrics.Accuracy(), loss=nnx.metrics.Average("loss"))
tokens = jax.random.randint(jax.random.key(0), (4, 5), 0, 10)
labels = jnp.array([0, 1, 1, 0])
gradients = []
for _ in range(2):
    gradients.append(jax.tree.leaves(train_step(model, optimizer, metrics, tokens, labels)))
results = nnx.state(model, nnx.Param), metrics.compute()
