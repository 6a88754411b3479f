"""A seed -> a random program of JAX: a chain of assignments over vectors and matrices, some in functions and scans."""

from __future__ import annotations

import random

SIZE = 3

ONE = ("jnp.tanh({})", "jnp.sin({})", "jnp.exp(-{} ** 2)", "jax.nn.sigmoid({})", "-{}", "{} ** 3", "{} * 0.5",
       "jax.nn.relu({})", "jnp.where({0} > 0, {0}, 0.1 * {0})", "jnp.sqrt({} ** 2 + 1.0)", "jnp.cumsum({})",
       "{} - jnp.mean({})", "jax.nn.softmax({})", "jnp.flip({})", "squashed({})", "squared({})",
       "1.0 * jax.lax.scan(round_, {}, jnp.arange(2.0))[0]", "1.0 * jax.lax.cond(True, jnp.cos, jnp.sin, {})",
       "1.0 * jax.checkpoint(jnp.sinh)(0.1 * {})", "jax.lax.stop_gradient({}) + {}")  # fmt: skip
TWO = ("{} + {}", "{} - {}", "{} * {}", "{} / (2.0 + jnp.cos({}))", "jnp.maximum({}, {})", "{} @ jnp.outer({}, x)")
HELPERS = """
@jax.jit
def squashed(v):
    shifted = v - 0.5
    return shifted / (1.0 + jnp.abs(shifted))

@jax.custom_vjp
def squared(v):
    return v * v

squared.defvjp(lambda v: (v * v, v), lambda v, g: (2.0 * g * v,))

def round_(carry, element):
    carry = jnp.tanh(carry * (element + 0.5))
    return carry, None
"""

ALL_TAKE_PART = """
def healthy(x, w):
    return program(x, w) + jnp.sum(x ** 2) + jnp.sum(jnp.exp(w))
"""


def program(seed: int, more: tuple[str, ...] = ()) -> tuple[str, int]:
    """The source of `program(x, w, shifts)`, and how many tensors `v0, v1, ...` it computes.

    `shifts[k]` is added to `v{k}`: the gradient with respect to it is what arrives at `v{k}`. Without shifts it is
    the plain program. `more` are expressions of one tensor, which are drawn from as well.
    """
    draw = random.Random(seed)
    names = ["x", "w"]
    lines = ["import jax", "import jax.numpy as jnp", HELPERS, "def program(x, w, shifts=None):"]
    count = draw.randint(3, 10)
    for index in range(count):
        expression = draw.choice(ONE + more) if draw.random() < 0.6 else draw.choice(TWO)
        places = expression.count("{}")
        chosen = [draw.choice(names[-3:] if draw.random() < 0.7 else names) for _ in range(max(places, 1))]
        expression = expression.format(*(chosen if draw.random() < 0.5 else chosen[:1] * len(chosen)))
        name = f"v{index}"
        lines += [f"    {name} = {expression}", f"    {name} = {name} if shifts is None else {name} + shifts[{index}]"]
        names.append(name)
    factors = dict.fromkeys([names[-1], draw.choice(names), draw.choice(names)])
    lines.append(f"    return jnp.sum({' * '.join(factors)})")
    return "\n".join(lines) + "\n", count
