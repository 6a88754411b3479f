"""Random programs -> the same bits, and the same state of the framework, recorded in three ways or not at all."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

import tapeviz as tv
from tests.engine import names
from tests.leaving.guests import Guest

WAYS: tuple[dict[str, Any], ...] = ({}, {"values": "none", "functions": "graph"}, {"steps": 1, "max_bytes": 1 << 10})
"""Three ways of recording, as options."""

ONE = ("tanh", "sin", "cos", "exp", "abs", "square", "sigmoid", "relu", "softmax", "sum_rows", "reversed", "part")
TWO = ("add", "sub", "mul", "div", "maximum", "matmul", "where", "joined")


@dataclass(frozen=True)
class Spelling:
    """How a framework writes the ops of random programs, and takes gradients.

    Attributes:
        ops: the functions by name, of one or two matrices of shape (3, 3).
        total: the sum of all elements.
        gradients: (function of variables, arrays) -> its value and its gradients.
    """

    ops: dict[str, Callable[..., Any]]
    total: Callable[[Any], Any]
    gradients: Callable[[Callable[..., Any], list[Any]], list[Any]]


def _array(tensor: Any) -> Any:
    return np.empty(0) if tensor is None else np.asarray(tensor)


def _tensorflow(tf: Any) -> Spelling:
    def gradients(function: Callable[..., Any], arrays: list[Any]) -> list[Any]:
        variables = [tf.Variable(each) for each in arrays]
        with tf.GradientTape() as tape:
            loss = function(*variables)
        return [_array(each) for each in (loss, *tape.gradient(loss, variables))]

    return Spelling(
        {
            **{name: getattr(tf, name) for name in ("tanh", "sin", "cos", "abs", "square", "sigmoid", "maximum")},
            "exp": lambda x: tf.exp(-tf.square(x)),
            "relu": tf.nn.relu,
            "softmax": tf.nn.softmax,
            "sum_rows": lambda x: x + tf.reduce_sum(x, axis=0, keepdims=True),
            "reversed": lambda x: tf.reverse(x, [0]),
            "part": lambda x: tf.tile(x[:1], [3, 1]),
            "add": lambda x, y: x + y,
            "sub": lambda x, y: x - y,
            "mul": lambda x, y: x * y,
            "div": lambda x, y: x / (1.5 + tf.square(y)),
            "matmul": lambda x, y: tf.tanh(x @ y),
            "where": lambda x, y: tf.where(x > y, x, 0.5 * y),
            "joined": lambda x, y: tf.concat([x[:1], y[1:]], 0),
        },
        tf.reduce_sum,
        gradients,
    )


def _torch(torch: Any) -> Spelling:
    def gradients(function: Callable[..., Any], arrays: list[Any]) -> list[Any]:
        leaves = [torch.tensor(each, requires_grad=True) for each in arrays]
        loss = function(*leaves)
        loss.backward()
        return [_array(each) for each in (loss.detach(), *(leaf.grad for leaf in leaves))]

    return Spelling(
        {
            **{name: getattr(torch, name) for name in ("tanh", "sin", "cos", "abs", "square", "sigmoid", "maximum")},
            "exp": lambda x: torch.exp(-torch.square(x)),
            "relu": torch.relu,
            "softmax": lambda x: torch.softmax(x, -1),
            "sum_rows": lambda x: x + x.sum(0, keepdim=True),
            "reversed": lambda x: x.flip(0),
            "part": lambda x: x[:1].repeat(3, 1),
            "add": lambda x, y: x + y,
            "sub": lambda x, y: x - y,
            "mul": lambda x, y: x * y,
            "div": lambda x, y: x / (1.5 + torch.square(y)),
            "matmul": lambda x, y: torch.tanh(x @ y),
            "where": lambda x, y: torch.where(x > y, x, 0.5 * y),
            "joined": lambda x, y: torch.cat([x[:1], y[1:]]),
        },
        torch.sum,
        gradients,
    )


def _jax(jax: Any) -> Spelling:
    jnp = jax.numpy

    def gradients(function: Callable[..., Any], arrays: list[Any]) -> list[Any]:
        places = tuple(range(len(arrays)))
        loss, found = jax.value_and_grad(function, argnums=places)(*map(jnp.asarray, arrays))
        return [_array(each) for each in (loss, *found)]

    return Spelling(
        {
            **{name: getattr(jnp, name) for name in ("tanh", "sin", "cos", "abs", "square", "maximum")},
            "exp": lambda x: jnp.exp(-jnp.square(x)),
            "sigmoid": lambda x: 1.0 / (1.0 + jnp.exp(-x)),
            "relu": lambda x: jnp.maximum(x, 0.0),
            "softmax": lambda x: jnp.exp(x) / jnp.sum(jnp.exp(x), axis=-1, keepdims=True),
            "sum_rows": lambda x: x + jnp.sum(x, axis=0, keepdims=True),
            "reversed": lambda x: x[::-1],
            "part": lambda x: jnp.tile(x[:1], (3, 1)),
            "add": lambda x, y: x + y,
            "sub": lambda x, y: x - y,
            "mul": lambda x, y: x * y,
            "div": lambda x, y: x / (1.5 + jnp.square(y)),
            "matmul": lambda x, y: jnp.tanh(x @ y),
            "where": lambda x, y: jnp.where(x > y, x, 0.5 * y),
            "joined": lambda x, y: jnp.concatenate([x[:1], y[1:]]),
        },
        jnp.sum,
        gradients,
    )


def spelling(name: str) -> Spelling:
    """That of a guest, by its name."""
    if name == "engine":
        return _tensorflow(names)
    return {"tensorflow": _tensorflow, "torch": _torch, "jax": _jax}[name](import_module(name))


def program(spelt: Spelling, seed: int) -> tuple[Callable[..., Any], list[Any]]:
    """A random function of three matrices, whose value is a sum, and the matrices."""
    draw = random.Random(seed)
    steps = []
    for count in range(3, 3 + draw.randint(3, 14)):
        name = draw.choice(ONE + TWO)
        steps.append((name, [draw.randrange(count) for _ in range(1 if name in ONE else 2)]))

    def function(*variables: Any) -> Any:
        values = list(variables)
        for name, operands in steps:
            values.append(spelt.ops[name](*(values[each] for each in operands)))
        return spelt.total(values[-1] + values[-2] + values[3])

    numbers = np.random.default_rng(seed)
    return function, [numbers.normal(size=(3, 3)).astype(np.float32) for _ in range(3)]


def differing(guest: Guest, seeds: range) -> list[str]:
    """The random programs that give other bits, or leave another state, recorded in one of the ways."""
    spelt, wrong = spelling(guest.name), []
    for seed in seeds:
        function, arrays = program(spelt, seed)
        plain, before = _bits(spelt.gradients(function, arrays)), guest.left()
        for options in WAYS:
            with tv.record(**options):
                found = _bits(spelt.gradients(function, arrays))
            if found != plain:
                wrong.append(f"program {seed} of {guest.name} has other bits with {options}")
            if guest.left() != before:
                wrong.append(f"program {seed} of {guest.name} leaves another state with {options}")
    return wrong


def _bits(arrays: list[Any]) -> list[Any]:
    return [(each.dtype.str, each.shape, each.tobytes()) for each in arrays]
