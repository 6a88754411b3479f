"""An equivariant net of e3nn and flax, and the forces that are its gradient by the positions."""

import e3nn_jax as e3nn
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

REQUIRES = ["e3nn-jax", "flax", "optax", "jax"]


class Model(nn.Module):
    @nn.compact
    def __call__(self, positions):
        harmonics = e3nn.spherical_harmonics("0e + 1o + 2e", positions, True)
        x = e3nn.flax.Linear("4x0e + 2x1o")(harmonics)
        x = e3nn.tensor_product(x, harmonics, filter_ir_out=["0e", "1o"])
        x = e3nn.flax.Linear("1x0e")(x)
        energies = x.array[:, 0] * jnp.sum(positions**2, -1)  #: hidden
        return energies.sum()


@jax.jit
def train_step(params, opt_state, positions, energy):
    def loss_fn(params):
        return (model.apply(params, positions) - energy) ** 2

    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss, grads


model = Model()
positions = jax.random.normal(jax.random.key(0), (5, 3))
params = model.init(jax.random.key(1), positions)
optimizer = optax.adam(1e-2)
opt_state = optimizer.init(params)
gradients = []
for _ in range(2):
    params, opt_state, loss, grads = train_step(params, opt_state, positions, 1.0)
    gradients.append(grads)
results = params, loss
