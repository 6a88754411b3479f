"""Clipping, a schedule and weight decay with a mask, in a chain."""

import jax
import jax.numpy as jnp
import optax

REQUIRES = ["optax", "jax"]


def loss_fn(params, x, y):
    h = jax.nn.silu(x @ params["w"] + params["b"])  #: hidden
    prediction = h @ params["v"]
    return optax.l2_loss(prediction, y).mean()


@jax.jit
def step(params, opt_state, x, y):
    grads = jax.grad(loss_fn)(params, x, y)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, grads


keys = jax.random.split(jax.random.key(0), 3)
params = {"w": jax.random.normal(keys[0], (4, 6)), "b": jnp.zeros(6), "v": jax.random.normal(keys[1], (6, 1))}
x = jax.random.normal(keys[2], (7, 4))
y = jnp.ones((7, 1))
schedule = optax.warmup_cosine_decay_schedule(0.0, 1e-2, warmup_steps=2, decay_steps=10)
tx = optax.chain(
    optax.clip_by_global_norm(1.0),
    optax.scale_by_adam(),
    optax.add_decayed_weights(1e-2, mask=jax.tree.map(lambda each: each.ndim > 1, params)),
    optax.scale_by_learning_rate(schedule),
)
opt_state = tx.init(params)
gradients = []
for _ in range(3):
    params, opt_state, grads = step(params, opt_state, x, y)
    gradients.append(grads)
results = params
