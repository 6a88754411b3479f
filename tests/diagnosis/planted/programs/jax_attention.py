"""One head of attention, over a batch by vmap."""

import jax
import jax.numpy as jnp

REQUIRES = ["jax"]


def attend(params, tokens):
    query, key, value = (tokens @ params[name] for name in ("wq", "wk", "wv"))
    scores = query @ key.T / jnp.sqrt(8.0)  #: hidden
    context = jax.nn.softmax(scores, axis=-1) @ value  #: hidden
    return context


def loss_of(params, batch):
    contexts = jax.vmap(attend, in_axes=(None, 0))(params, batch)  #: hidden
    loss = jnp.mean((contexts - batch) ** 2)  #: loss
    return loss


keys = jax.random.split(jax.random.key(0), 4)
params = {name: jax.random.normal(key, (8, 8)) / 3 for name, key in zip(("wq", "wk", "wv"), keys, strict=False)}
batch = jax.random.normal(keys[3], (2, 5, 8))  #: data
gradients = jax.grad(loss_of)(params, batch)  #: backward
