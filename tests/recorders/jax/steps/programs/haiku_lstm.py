"""A haiku LSTM, unrolled in a scan, whose donated state is written over."""

from typing import NamedTuple

import haiku as hk
import jax
import jax.numpy as jnp
import optax

REQUIRES = ["dm-haiku", "optax", "jax"]


class TrainingState(NamedTuple):
    params: hk.Params
    opt_state: optax.OptState


def unroll_net(sequence):
    core = hk.LSTM(5)
    outputs, _ = hk.dynamic_unroll(core, sequence, core.initial_state(sequence.shape[1]))
    h = jnp.tanh(outputs)  #: hidden
    return hk.BatchApply(hk.Linear(3))(h)


def sequence_loss(params, sequence):
    logits = network.apply(params, sequence[:-1])
    return -jnp.mean(jnp.sum(sequence[1:] * jax.nn.log_softmax(logits), -1))


def update(state, sequence):
    loss, grads = jax.value_and_grad(sequence_loss)(state.params, sequence)
    updates, opt_state = optimizer.update(grads, state.opt_state)
    return TrainingState(optax.apply_updates(state.params, updates), opt_state), loss, grads


network = hk.without_apply_rng(hk.transform(unroll_net))
sequence = jax.nn.one_hot(jax.random.randint(jax.random.key(0), (6, 2), 0, 3), 3)
params = network.init(jax.random.key(1), sequence)
optimizer = optax.adam(1e-2)
state = TrainingState(params, optimizer.init(params))
step = jax.jit(update, donate_argnums=0)
gradients = []
for _ in range(3):
    state, loss, grads = step(state, sequence)
    gradients.append(grads)
results = state, loss
