"""The loss of a policy with a categorical distribution of distrax, and its entropy."""

import distrax
import jax
import jax.numpy as jnp
import optax

REQUIRES = ["distrax", "optax", "jax"]


@jax.jit
def update(params, opt_state, observed, actions, advantages):
    def loss_fn(params):
        h = jnp.tanh(observed @ params["w"])  #: hidden
        policy = distrax.Categorical(logits=h @ params["v"])
        ratio = jnp.exp(policy.log_prob(actions) - behaviour)
        clipped = distrax.Uniform(0.0, 1.0).log_prob(0.5) + jnp.clip(ratio, 0.8, 1.2)
        objective = jnp.minimum(ratio * advantages, clipped * advantages)
        return -jnp.mean(objective) - 0.01 * jnp.mean(policy.entropy())

    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss, grads


keys = jax.random.split(jax.random.key(0), 4)
params = {"w": 0.3 * jax.random.normal(keys[0], (4, 8)), "v": 0.1 * jax.random.normal(keys[1], (8, 3))}
observed = jax.random.normal(keys[2], (6, 4))
actions = jnp.arange(6) % 3
advantages = jax.random.normal(keys[3], (6,))
behaviour = jnp.full(6, -jnp.log(3.0))
optimizer = optax.adam(1e-3)
opt_state = optimizer.init(params)
gradients = []
for _ in range(2):
    params, opt_state, loss, grads = update(params, opt_state, observed, actions, advantages)
    gradients.append(grads)
results = params, loss
