"""A recurrent net of equinox, whose cell runs in `lax.scan`."""

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

REQUIRES = ["equinox", "optax", "jax"]


class RNN(eqx.Module):
    hidden_size: int
    cell: eqx.Module
    linear: eqx.nn.Linear
    bias: jax.Array

    def __init__(self, in_size, out_size, hidden_size, *, key):
        ckey, lkey = jax.random.split(key)
        self.hidden_size = hidden_size
        self.cell = eqx.nn.GRUCell(in_size, hidden_size, key=ckey)
        self.linear = eqx.nn.Linear(hidden_size, out_size, use_bias=False, key=lkey)
        self.bias = jnp.zeros(out_size)

    def __call__(self, input):
        def f(carry, inp):
            return self.cell(inp, carry), None

        out, _ = jax.lax.scan(f, jnp.zeros((self.hidden_size,)), input)
        return jax.nn.sigmoid(self.linear(out) + self.bias)


@eqx.filter_value_and_grad
def compute_loss(model, x, y):
    pred_y = jax.vmap(model)(x)[:, 0]  #: hidden
    return -jnp.mean(y * jnp.log(pred_y) + (1 - y) * jnp.log(1 - pred_y))


@eqx.filter_jit
def make_step(model, x, y, opt_state):
    loss, grads = compute_loss(model, x, y)
    updates, opt_state = optim.update(grads, opt_state)
    return loss, eqx.apply_updates(model, updates), opt_state, grads


model = RNN(2, 1, 6, key=jax.random.key(0))
optim = optax.adam(3e-3)
opt_state = optim.init(eqx.filter(model, eqx.is_inexact_array))
x = jax.random.normal(jax.random.key(1), (5, 7, 2))
y = jnp.array([0.0, 1.0, 1.0, 0.0, 1.0])
gradients = []
for _ in range(2):
    loss, model, opt_state, grads = make_step(model, x, y, opt_state)
    gradients.append(jax.tree.leaves(grads))
results = loss, eqx.filter(model, eqx.is_array)
