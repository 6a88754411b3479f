"""Attention over the edges of a graph, with jraph's softmax of segments."""

import jax
import jax.numpy as jnp
import jraph

REQUIRES = ["jraph", "jax"]


def predict(params, nodes):
    h = nodes @ params["w"]
    sent, received = h[senders], h[receivers]
    scores = jax.nn.leaky_relu(jnp.concatenate([sent, received], -1) @ params["attention"])
    weights = jraph.segment_softmax(scores, receivers, num_segments=5)
    gathered = jraph.segment_sum(weights[:, None] * sent, receivers, num_segments=5)  #: hidden
    return jax.nn.elu(gathered)


@jax.jit
def update(params, nodes, target):
    def loss_fn(params):
        return jnp.mean((predict(params, nodes) - target) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(params)
    return jax.tree.map(lambda param, grad: param - 0.1 * grad, params, grads), loss, grads


senders, receivers = jnp.array([0, 1, 2, 3, 4, 0, 2]), jnp.array([1, 2, 3, 4, 0, 2, 0])
keys = jax.random.split(jax.random.key(0), 4)
nodes = jax.random.normal(keys[0], (5, 3))
target = jax.random.normal(keys[1], (5, 4))
params = {"w": jax.random.normal(keys[2], (3, 4)), "attention": jax.random.normal(keys[3], (8,))}
gradients = []
for _ in range(2):
    params, loss, grads = update(params, nodes, target)
    gradients.append(grads)
results = params, loss
