"""A graph network of jraph, with a message for each edge, over two small graphs."""

import jax
import jax.numpy as jnp
import jraph

REQUIRES = ["jraph", "jax"]


def loss_of(params, graph, targets):
    def update_edge(edges, sent, received, globals_):
        return jnp.tanh(jnp.concatenate([edges, sent, received], axis=-1) @ params["edge"])

    def update_node(nodes, sent, received, globals_):
        return jnp.tanh(jnp.concatenate([nodes, received], axis=-1) @ params["node"])

    net = jraph.GraphNetwork(update_edge_fn=update_edge, update_node_fn=update_node)
    nodes = net(graph).nodes  #: hidden
    loss = jnp.mean((nodes @ params["readout"] - targets) ** 2)  #: loss
    return loss


keys = jax.random.split(jax.random.key(0), 6)
graph = jraph.GraphsTuple(
    nodes=jax.random.normal(keys[0], (5, 3)),
    edges=jax.random.normal(keys[1], (6, 2)),
    senders=jnp.array([0, 1, 2, 3, 4, 3]),
    receivers=jnp.array([1, 2, 0, 4, 3, 4]),
    n_node=jnp.array([3, 2]),
    n_edge=jnp.array([3, 3]),
    globals=None,
)
params = {
    "edge": jax.random.normal(keys[2], (8, 4)),
    "node": jax.random.normal(keys[3], (7, 4)),
    "readout": jax.random.normal(keys[4], (4,)),
}
targets = jax.random.normal(keys[5], (5,))  #: data
gradients = jax.grad(loss_of)(params, graph, targets)  #: backward
