"""An equinox model of which one layer alone is trained."""

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

REQUIRES = ["equinox", "optax", "jax"]


@eqx.filter_jit
def make_step(model, x, y, opt_state):
    @eqx.filter_value_and_grad
    def loss(diff_model, static_model, x, y):
        model = eqx.combine(diff_model, static_model)
        pred_y = jax.vmap(model)(x)  #: hidden
        return jnp.mean((y - pred_y) ** 2)

    diff_model, static_model = eqx.partition(model, filter_spec)
    value, grads = loss(diff_model, static_model, x, y)
    updates, opt_state = optim.update(grads, opt_state)
    return eqx.apply_updates(model, updates), opt_state, value, grads


model = eqx.nn.MLP(in_size=1, out_size=1, width_size=8, depth=2, key=jax.random.key(0))
filter_spec = jax.tree.map(lambda _: False, model)
filter_spec = eqx.tree_at(
    lambda tree: (tree.layers[-1].weight, tree.layers[-1].bias), filter_spec, replace=(True, True)
)
optim = optax.sgd(0.1)
opt_state = optim.init(eqx.filter(model, filter_spec))
x = jax.random.normal(jax.random.key(1), (6, 1))
y = 0.5 * x**2
gradients = []
for _ in range(2):
    model, opt_state, value, grads = make_step(model, x, y, opt_state)
    gradients.append(jax.tree.leaves(grads))
results = eqx.filter(model, eqx.is_array), value
