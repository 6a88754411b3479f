"""A neural differential equation of diffrax and equinox, fitted to several curves."""

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import optax

REQUIRES = ["diffrax", "equinox", "optax", "jax"]


class Func(eqx.Module):
    mlp: eqx.nn.MLP

    def __init__(self, key):
        self.mlp = eqx.nn.MLP(2, 2, 8, 1, activation=jax.nn.softplus, key=key)

    def __call__(self, t, y, args):
        return self.mlp(y)


class NeuralODE(eqx.Module):
    func: Func

    def __call__(self, ts, y0):
        solution = diffrax.diffeqsolve(
            diffrax.ODETerm(self.func), diffrax.Heun(), ts[0], ts[-1], 0.1, y0, saveat=diffrax.SaveAt(ts=ts)
        )
        return solution.ys


@eqx.filter_value_and_grad
def grad_loss(model, ti, yi):
    y_pred = jax.vmap(model, in_axes=(None, 0))(ti, yi[:, 0])  #: hidden
    return jnp.mean((yi - y_pred) ** 2)


@eqx.filter_jit
def make_step(ti, yi, model, opt_state):
    loss, grads = grad_loss(model, ti, yi)
    updates, opt_state = optim.update(grads, opt_state)
    return loss, eqx.apply_updates(model, updates), opt_state, grads


model = NeuralODE(Func(jax.random.key(0)))
optim = optax.adabelief(3e-3)
opt_state = optim.init(eqx.filter(model, eqx.is_inexact_array))
ti = jnp.linspace(0.0, 0.5, 4)
yi = jax.random.normal(jax.random.key(1), (3, 4, 2))
gradients = []
for _ in range(2):
    loss, model, opt_state, grads = make_step(ti, yi, model, opt_state)
    gradients.append(jax.tree.leaves(grads))
results = loss, eqx.filter(model, eqx.is_array)
