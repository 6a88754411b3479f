"""An nnx layer that is frozen but for its low-rank adapter."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx

REQUIRES = ["flax", "optax", "jax"]


class Model(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.LoRALinear(4, 3, lora_rank=2, lora_dtype=jnp.float32, rngs=rngs)

    def __call__(self, x):
        h = self.linear(x)  #: hidden
        return jnp.sum(h**2, axis=-1)


@nnx.jit
def train_step(model, optimizer, x, y):
    def loss_fn(model):
        return jnp.mean((model(x) - y) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn, argnums=nnx.DiffState(0, nnx.LoRAParam))(model)
    optimizer.update(model, grads)
    return loss, grads


model = Model(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.LoRAParam)
x = jax.random.normal(jax.random.key(1), (5, 4))
y = jnp.ones(5)
gradients = []
for _ in range(3):
    loss, grads = train_step(model, optimizer, x, y)
    gradients.append(jax.tree.leaves(grads))
results = nnx.state(model, nnx.LoRAParam), loss
