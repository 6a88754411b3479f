"""Programs of JAX as people write them: name -> a function, its arguments, and the options of `record_jax`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


@dataclass(frozen=True)
class Program:
    """What is passed to `record_jax`; `jax.value_and_grad` with the same options is the oracle."""

    f: Callable[..., Any]
    args: tuple[Any, ...]
    options: dict[str, Any] = field(default_factory=dict)


def numbers(*shape: int, seed: int = 0) -> jax.Array:
    """Normal random numbers."""
    return jnp.asarray(np.random.RandomState(seed).normal(size=shape), jnp.float32)


# ----- plain programs -----


def cube(x):
    return x * x * x


def mlp(params, x, y):
    h = jnp.tanh(x @ params["w1"] + params["b1"])
    logits = h @ params["w2"] + params["b2"]
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits) * jax.nn.one_hot(y, 3), axis=-1))


def mlp_params():
    return {
        "w1": numbers(4, 8, seed=1),
        "b1": jnp.zeros(8),
        "w2": numbers(8, 3, seed=2),
        "b2": jnp.zeros(3),
    }


class Weights(NamedTuple):
    kernel: Any
    bias: Any


def nested(layers, scale):
    x = jnp.ones((2, 3))
    for layer in layers:
        x = jax.nn.relu(x @ layer.kernel + layer.bias) * scale
    return x.sum()


def with_aux(w, x):
    z = w * x
    return jnp.sum(z**2), {"mean": jnp.mean(z), "count": z.size}


def several_outputs(x):
    return jnp.sin(x), (x**3).sum()


def two_arguments(x, y):
    return jnp.vdot(x, y) + jnp.prod(x) / jnp.linalg.norm(y)


def python_arguments(x, times, activation, flag):
    for _ in range(times):
        x = jnp.tanh(x) if activation == "tanh" else x
    return x.sum() if flag else x.mean()


def unused(params):
    return jnp.sum(params["used"] ** 2)


def integers(x, index):
    return x[index] * 2.0


def an_input_is_the_output(x, y):
    return x


def constant(x):
    return 3.0


DATA = numbers(5, seed=7)


def closed_over(x):
    return jnp.dot(x, DATA)


# ----- transformed programs -----


@jax.jit
def layer(w, x):
    z = w @ x
    return jnp.tanh(z)


def jitted(w, x):
    h = layer(w, x)
    return layer(w, h).sum()


def rnn(params, xs):
    def step(h, x):
        new = jnp.tanh(params["w"] @ h + params["u"] @ x + params["b"])
        return new, new.sum()

    last, sums = lax.scan(step, jnp.zeros(3), xs)
    return (last**2).sum() + sums.mean()


def rnn_args(steps):
    params = {"w": numbers(3, 3, seed=1) * 0.5, "u": numbers(3, 2, seed=2), "b": jnp.zeros(3)}
    return params, numbers(steps, 2, seed=3)


def scan_backwards(x):
    carry, rows = lax.scan(lambda c, e: (c * e, c + e), 1.0, x, reverse=True)
    return carry + (rows * jnp.arange(x.size)).sum()


def scan_of_nothing(x):
    carry, rows = lax.scan(lambda c, e: (c + e, c * e), x, jnp.zeros((0,)))
    return carry + rows.sum()


def scan_of_layers(stacked, x):
    return lax.scan(lambda h, w: (jnp.tanh(w @ h), None), x, stacked)[0].sum()


def fori(x):
    return lax.fori_loop(0, 5, lambda i, v: jnp.sin(v) + i, x).sum()


def branches(x):
    y = lax.cond(x.sum() > 0, lambda v: v * 2, lambda v: v**3, x)
    return lax.switch(2, [jnp.sin, jnp.cos, jnp.tanh], y).sum()


def named_flow(x):
    def body(index, v):
        return v * 1.5

    y = lax.cond(x[0] > 100.0, lambda v: v * 2, lambda v: v**3, x)
    grown = lax.fori_loop(0, 2, body, y)
    last, rows = lax.scan(lambda sums, element: (sums + element, sums * element), grown, jnp.ones((3, 3)))
    return (last * rows).sum()


def while_beside(x):
    limit = lax.while_loop(lambda v: v < 10.0, lambda v: v * 2, 1.0)
    return (x * limit).sum()


@jax.custom_vjp
def clipped(x):
    return x * x


clipped.defvjp(lambda x: (x * x, x), lambda x, g: (jnp.clip(g * 2 * x, -0.5, 0.5),))


@jax.custom_vjp
def counted(x):
    """Its second result is a number of Python's, which newer JAX hands through as it is."""
    return x * x, 3


counted.defvjp(lambda x: (counted(x), x), lambda x, g: (g[0] * 2 * x,))


def with_a_count(x):
    square, count = counted(x)
    return (square * count).sum()


@jax.custom_jvp
def squareplus(x):
    return (x + jnp.sqrt(x * x + 4.0)) / 2


@squareplus.defjvp
def _squareplus_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    return squareplus(x), t * jax.nn.sigmoid(x)


def custom(x):
    return (clipped(jnp.sin(x)) + squareplus(x)).sum()


def checkpointed(x):
    return jax.checkpoint(lambda v: jnp.sin(jnp.cos(v)))(x).sum()


def mapped(w, xs):
    return jax.vmap(lambda x: jnp.tanh(w @ x).sum())(xs).mean()


def stopped(x):
    return (lax.stop_gradient(x) * x).sum() + jnp.floor(x).sum() + jnp.sign(x).sum()


def held_behind(x):
    """JAX asks nothing for a derivative that only a `stop_gradient` or a `floor` leads to: neither call has one."""
    held = lax.stop_gradient(x)
    grown = lax.while_loop(lambda v: v.sum() < 10.0, lambda v: v + held, jnp.abs(held))
    called = jax.pure_callback(np.sin, jax.ShapeDtypeStruct(x.shape, x.dtype), jnp.floor(x) * 2)
    return (x * grown * called).sum()


@jax.custom_jvp
def both(x, y, n):
    return x * n, y * n


@both.defjvp
def _tangents_of_both(primals, tangents):
    x, y, n = primals
    return both(x, y, n), (tangents[0] * n, tangents[1] * n)


@jax.custom_vjp
def refused(x):
    return x


def _refuse(_, g):
    raise ValueError("This has no derivative.")


refused.defvjp(lambda x: (x, None), _refuse)


def apart(x):
    """No gradient comes to what only the other result, or no tangent, is computed from."""
    return both(x, refused(x), refused(2 * x))[0].sum()


def loops_mapped(x):
    """Each loop ends at a round of its own, and keeps what it has."""

    def of_one(v):
        return lax.while_loop(lambda carry: carry[1] < 20.0, lambda carry: (carry[0] + 1, carry[1] * 1.5), (0, v))

    rounds, grown = jax.vmap(of_one)(lax.stop_gradient(jnp.abs(x) + 1))
    return (x * rounds * grown).sum()


def second_derivative(x):
    return jax.grad(lambda v: jnp.sum(jnp.tanh(v) ** 3))(x).sum()


def hessian_vector(x, v):
    return jnp.vdot(jax.jvp(jax.grad(lambda u: jnp.sum(jnp.exp(u) * u)), (x,), (v,))[1], v)


def tangents_of_a_scan(x, v):
    def swept(u):
        return lax.scan(lambda c, e: (c * jnp.sin(e) + e, c * e), u[0], u)

    (end, ys), (slope, slopes) = jax.jvp(swept, (x,), (v,))
    return end * slope + jnp.sum(ys * slopes)


def tangent_of_a_loop(x):
    return jnp.sum(jax.jvp(lambda u: lax.fori_loop(0, 3, lambda i, s: s * u, u), (x,), (x,))[1])


def third_derivative(x):
    return jax.grad(jax.grad(lambda v: v**4 * jnp.sin(v)))(x)


# ----- kinds of ops -----


def activations(x):
    kinds = (jax.nn.relu, jax.nn.relu6, jax.nn.silu, jax.nn.gelu, jax.nn.elu, jax.nn.selu, jax.nn.softplus)
    more = (jax.nn.sigmoid, jax.nn.leaky_relu, jax.nn.softmax, jax.nn.log_softmax, jax.nn.logsumexp, jnp.var)
    return sum(jnp.sum(each(x)) for each in (*kinds, *more))


def indexing(x, i):
    return (
        x[0, 1]
        + x[1:, ::2].sum()
        + x[jnp.array([0, 0, 1])].sum()
        + x.at[0].set(0.0).sum()
        + x.at[1].add(x[0]).sum()
        + lax.dynamic_slice(x, (i, 0), (1, 2)).sum()
        + jnp.take_along_axis(x, jnp.array([[0], [1], [2]]), 1).sum()
    )


def shapes(x):
    y = jnp.concatenate([x, x.T]).reshape(3, 6)
    a, b = y[:, :3], jnp.split(y, 2, axis=1)[1]
    return (jnp.pad(a, 1).sum() + jnp.flip(b).sum() + jnp.stack([a, b])[0, 0].sum() + jnp.tile(a, 2).mean()) * jnp.roll(
        x, 1
    ).max()


def products(x, y):
    return (
        jnp.einsum("bij,bjk->bik", x, y).sum()
        + jnp.einsum("bij,bij->b", x, y)[0]
        + jnp.tensordot(x, y, axes=([0, 1], [0, 1])).sum()
        + (x[0] @ y[0, :, 0]).sum()
        + jnp.matmul(x, y)[1, 1, 1]
    )


def choices(x):
    y = jnp.where(x > 0, x, -2 * x) + jnp.clip(x, -0.5, 0.5) + jnp.maximum(x, 0.3) + jnp.minimum(x, 0.1)
    return jnp.sort(y)[0] + jnp.cumsum(y)[2] + jnp.max(y) - jnp.min(y) + lax.top_k(y, 2)[0].sum()


def linear_algebra(a, b):
    spd = a @ a.T + 3 * jnp.eye(3)
    return (
        jnp.linalg.solve(spd, b).sum()
        + jnp.linalg.inv(spd)[0, 0]
        + jnp.linalg.det(spd)
        + jnp.linalg.cholesky(spd).sum()
    )


def convolution(image, kernel):
    y = lax.conv_general_dilated(image, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return lax.reduce_window(jax.nn.relu(y), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID").sum()


def dropout(x, key):
    kept = jax.random.bernoulli(key, 0.5, x.shape)
    return jnp.where(kept, x / 0.5, 0.0).sum()


def half(x):
    return (x.astype(jnp.bfloat16) * 2).astype(jnp.float32).sum()


def complex_inside(x):
    return jnp.abs(jnp.fft.fft(x)).sum() + jnp.real(jnp.exp(1j * x)).sum()


def prints(x):
    jax.debug.print("x is {}", x)
    return (x * 2).sum()


PROGRAMS = {
    "cube": Program(cube, (3.0,)),
    "values_of_equal_eigenvalues": Program(lambda a: jnp.sum(jnp.linalg.eigh(a)[0]), (jnp.eye(3),)),
    "equal_singular_values": Program(lambda a: jnp.sum(jnp.linalg.svd(a, full_matrices=False)[1]), (jnp.eye(3),)),
    "values_under_jit": Program(lambda a: jax.jit(jnp.linalg.eigh)(a)[0][0], (2 * jnp.eye(2),)),
    "mlp": Program(mlp, (mlp_params(), numbers(5, 4), np.array([0, 1, 2, 1, 0]))),
    "nested": Program(
        nested, ([Weights(numbers(3, 3), jnp.ones(3)), Weights(numbers(3, 2), jnp.ones(2))], 0.5), {"argnums": (0, 1)}
    ),
    "with_aux": Program(with_aux, (numbers(3), numbers(3, seed=1)), {"has_aux": True}),
    "two_arguments": Program(two_arguments, (numbers(3), numbers(3, seed=1)), {"argnums": (0, 1)}),
    "last_argument": Program(two_arguments, (numbers(3), numbers(3, seed=1)), {"argnums": -1}),
    "python_arguments": Program(python_arguments, (numbers(3), 3, "tanh", True)),
    "unused": Program(unused, ({"used": numbers(2), "unused": numbers(3)},)),
    "integers": Program(integers, (numbers(3), jnp.array(1))),
    "an_input_is_the_output": Program(an_input_is_the_output, (2.0, 3.0), {"argnums": (0, 1)}),
    "constant": Program(constant, (2.0,)),
    "closed_over": Program(closed_over, (numbers(5),)),
    "partial": Program(partial(two_arguments, numbers(3)), (numbers(3, seed=1),)),
    "lambda": Program(lambda x: (x * x).sum(), (numbers(3),)),
    "jitted": Program(jitted, (numbers(3, 3), numbers(3))),
    "jit_itself": Program(jax.jit(jitted), (numbers(3, 3), numbers(3))),
    "rnn": Program(rnn, rnn_args(50)),
    "scan_backwards": Program(scan_backwards, (numbers(4),)),
    "scan_of_nothing": Program(scan_of_nothing, (2.0,)),
    "scan_of_layers": Program(scan_of_layers, (numbers(4, 3, 3), numbers(3)), {"argnums": (0, 1)}),
    "fori": Program(fori, (numbers(3),)),
    "named_flow": Program(named_flow, (numbers(3),)),
    "branches": Program(branches, (numbers(3),)),
    "while_beside": Program(while_beside, (numbers(3),)),
    "custom": Program(custom, (numbers(3),)),
    "with_a_count": Program(with_a_count, (numbers(3),)),
    "checkpointed": Program(checkpointed, (numbers(3),)),
    "mapped": Program(mapped, (numbers(3, 3), numbers(4, 3)), {"argnums": (0, 1)}),
    "stopped": Program(stopped, (numbers(3),)),
    "held_behind": Program(held_behind, (numbers(3),)),
    "apart": Program(apart, (numbers(3),)),
    "loops_mapped": Program(loops_mapped, (numbers(3),)),
    "second_derivative": Program(second_derivative, (numbers(3),)),
    "tangents_of_a_scan": Program(tangents_of_a_scan, (numbers(3), numbers(3, seed=1)), {"argnums": (0, 1)}),
    "tangent_of_a_loop": Program(tangent_of_a_loop, (numbers(3),)),
    "hessian_vector": Program(hessian_vector, (numbers(3), numbers(3, seed=1)), {"argnums": (0, 1)}),
    "third_derivative": Program(third_derivative, (0.7,)),
    "activations": Program(activations, (numbers(4),)),
    "indexing": Program(indexing, (numbers(3, 4), 1)),
    "shapes": Program(shapes, (numbers(3, 3),)),
    "products": Program(products, (numbers(2, 3, 3), numbers(2, 3, 3, seed=1)), {"argnums": (0, 1)}),
    "choices": Program(choices, (numbers(4),)),
    "linear_algebra": Program(linear_algebra, (numbers(3, 3), numbers(3)), {"argnums": (0, 1)}),
    "convolution": Program(convolution, (numbers(1, 6, 6, 2), numbers(3, 3, 2, 4)), {"argnums": (0, 1)}),
    "dropout": Program(dropout, (numbers(8), jax.random.key(0))),
    "half": Program(half, (numbers(3),)),
    "complex_inside": Program(complex_inside, (numbers(4),)),
    "prints": Program(prints, (numbers(2),)),
}
