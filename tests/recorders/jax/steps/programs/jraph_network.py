"""A graph network of jraph, with haiku's layers within."""

import haiku as hk
import jax
import jax.numpy as jnp
import jraph
import optax

REQUIRES = ["jraph", "dm-haiku", "optax", "jax"]


def net_fn(graph):
    @jraph.concatenated_args
    def edge_update_fn(feats):
        return jax.nn.relu(hk.Linear(6)(feats))

    @jraph.concatenated_args
    def node_update_fn(feats):
        return jax.nn.relu(hk.Linear(6)(feats))

    @jraph.concatenated_args
    def update_global_fn(feats):
        h = hk.Linear(2)(feats)  #: hidden
        return h

    net = jraph.GraphNetwork(
        update_node_fn=node_update_fn, update_edge_fn=edge_update_fn, update_global_fn=update_global_fn
    )
    return net(graph)


@jax.jit
def update(params, opt_state, graph, label):
    def compute_loss(params):
        pred_graph = net.apply(params, graph)
        preds = jax.nn.log_softmax(pred_graph.globals)
        return -jnp.mean(preds * jax.nn.one_hot(label, 2))

    loss, grads = jax.value_and_grad(compute_loss)(params)
    updates, opt_state = opt.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss, grads


graph = jraph.GraphsTuple(
    nodes=jax.random.normal(jax.random.key(0), (4, 3)),
    edges=jax.random.normal(jax.random.key(1), (5, 2)),
    senders=jnp.array([0, 1, 2, 3, 0]),
    receivers=jnp.array([1, 2, 3, 0, 2]),
    n_node=jnp.array([4]),
    n_edge=jnp.array([5]),
    globals=jnp.ones((1, 1)),
)
label = jnp.array([1])
net = hk.without_apply_rng(hk.transform(net_fn))
params = net.init(jax.random.key(2), graph)
opt = optax.adam(1e-3)
opt_state = opt.init(params)
gradients = []
for _ in range(2):
    params, opt_state, loss, grads = update(params, opt_state, graph, label)
    gradients.append(grads)
results = params, loss
