"""The contestants: how each framework spells the programs' words, records them and gives their gradients."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.programs import Program

Forward = Callable[..., Any]
Pull = Callable[[], Any]
"""What a recording can be asked for: the gradients of the sum of its target, one per variable."""


class Framework(ABC):
    """One framework. Its words are attributes: sin, matmul, relu, add_n, conv2d, sum_of_squares, cross_entropy."""

    package: str
    variable: Callable[[Any], Any]
    constant: Callable[[Any], Any]

    @abstractmethod
    def record(self, forward: Forward, variables: list[Any]) -> Pull:
        """Run `forward(*variables)` and keep what its gradients need."""

    @abstractmethod
    def twice(self, forward: Forward, variables: list[Any]) -> list[Any]:
        """The derivative of the derivative of `forward`, of one scalar."""

    def recorder(self, program: Program) -> Callable[[], Pull]:
        """A call that runs the program forward and records it."""
        variables = [self.variable(each) for each in program.variables]
        forward = partial(program.forward, self, *[self.constant(each) for each in program.inputs])
        return partial(self.record, forward, variables)

    def step(self, program: Program) -> Callable[[], Any]:
        """A call that gives the program's gradients, forward and backward in one."""
        record = self.recorder(program)
        if program.order == 2:
            return partial(self.twice, *record.args)
        return lambda: record()()


class Tape(Framework):
    """TensorFlow in eager mode: its tape."""

    package = "tensorflow"

    def __init__(self, *, persistent: bool = False) -> None:
        tf = import_module(self.package)
        self.tf, self.persistent = tf, persistent
        self.variable, self.constant = tf.Variable, tf.constant
        self.sin, self.matmul, self.add_n, self.relu = tf.sin, tf.matmul, tf.add_n, tf.nn.relu

    def conv2d(self, x: Any, w: Any) -> Any:
        return self.tf.nn.conv2d(x, w, strides=1, padding="VALID")

    def sum_of_squares(self, x: Any) -> Any:
        return self.tf.reduce_sum(self.tf.square(x))

    def cross_entropy(self, logits: Any, labels: Any) -> Any:
        losses = self.tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        return self.tf.reduce_mean(losses)

    def tape(self) -> AbstractContextManager[Any]:
        return self.tf.GradientTape(persistent=self.persistent)

    def record(self, forward: Forward, variables: list[Any]) -> Pull:
        with self.tape() as tape:
            target = forward(*variables)
        return lambda: tape.gradient(target, variables)

    def twice(self, forward: Forward, variables: list[Any]) -> list[Any]:
        with self.tape() as outer:
            first = self.record(forward, variables)()
        return outer.gradient(first, variables)


class Tapeviz(Tape):
    """tapeviz: the same tape, with values kept or off."""

    package = "tapeviz"

    def __init__(self, *, values: str = "kept", persistent: bool = False) -> None:
        super().__init__(persistent=persistent)
        self.values = values

    def tape(self) -> AbstractContextManager[Any]:
        self.tf.configure(values=self.values)  # each time: the other contestant has set it to what it wants
        return super().tape()


class PyTorch(Framework):
    """PyTorch in eager mode."""

    package = "torch"

    def __init__(self) -> None:
        torch = import_module("torch")
        self.torch = torch
        self.variable, self.constant = partial(torch.tensor, requires_grad=True), torch.tensor
        self.sin, self.matmul, self.relu = torch.sin, torch.matmul, torch.relu
        self.cross_entropy = torch.nn.functional.cross_entropy

    def add_n(self, tensors: list[Any]) -> Any:
        return self.torch.stack(tensors).sum()

    def conv2d(self, x: Any, w: Any) -> Any:
        return self.torch.conv2d(x.permute(0, 3, 1, 2), w.permute(3, 2, 0, 1))

    def sum_of_squares(self, x: Any) -> Any:
        return self.torch.square(x).sum()

    def record(self, forward: Forward, variables: list[Any]) -> Pull:
        target, torch = forward(*variables), self.torch
        return lambda: torch.autograd.grad(target, variables, torch.ones_like(target))

    def twice(self, forward: Forward, variables: list[Any]) -> list[Any]:
        grad = self.torch.autograd.grad
        return grad(grad(forward(*variables), variables, create_graph=True), variables)


class Autograd(Framework):
    """HIPS autograd."""

    package = "autograd"

    def __init__(self) -> None:
        self.autograd, self.anp = import_module("autograd"), import_module("autograd.numpy")
        self.vspace = import_module("autograd.extend").vspace
        self.convolve = import_module("autograd.scipy.signal").convolve
        self.logsumexp = import_module("autograd.scipy.special").logsumexp
        self.variable = self.constant = lambda array: array
        self.sin, self.matmul = self.anp.sin, self.anp.matmul

    def relu(self, x: Any) -> Any:
        return self.anp.maximum(x, 0)

    def add_n(self, tensors: list[Any]) -> Any:
        return self.anp.sum(self.anp.array(tensors))

    def conv2d(self, x: Any, w: Any) -> Any:
        return self.convolve(x, w[::-1, ::-1], axes=([1, 2], [0, 1]), dot_axes=([3], [2]), mode="valid")

    def sum_of_squares(self, x: Any) -> Any:
        return self.anp.sum(x * x)

    def cross_entropy(self, logits: Any, labels: Any) -> Any:
        picked = logits[self.anp.arange(len(labels)), labels]
        return self.anp.mean(self.logsumexp(logits, axis=1) - picked)

    def record(self, forward: Forward, variables: list[Any]) -> Pull:
        every = tuple(range(len(variables)))
        pull, target = self.autograd.make_vjp(forward, every)(*variables)
        return lambda: pull(self.vspace(target).ones())

    def twice(self, forward: Forward, variables: list[Any]) -> list[Any]:
        grad = self.autograd.grad
        return [grad(grad(forward))(*variables)]


class Jax(Framework):
    """JAX op by op, without `jit`."""

    package = "jax"

    def __init__(self) -> None:
        self.jax, self.jnp = import_module("jax"), import_module("jax.numpy")
        self.variable = self.constant = self.jnp.asarray
        self.sin, self.matmul = self.jnp.sin, self.jnp.matmul
        self.add_n = sum  # stacking 10,000 operands takes XLA minutes to compile

    def relu(self, x: Any) -> Any:
        return self.jnp.maximum(x, 0)

    def conv2d(self, x: Any, w: Any) -> Any:
        return self.jax.lax.conv_general_dilated(x, w, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def sum_of_squares(self, x: Any) -> Any:
        return self.jnp.sum(self.jnp.square(x))

    def cross_entropy(self, logits: Any, labels: Any) -> Any:
        picked = logits[self.jnp.arange(len(labels)), labels]
        return self.jnp.mean(self.jax.scipy.special.logsumexp(logits, axis=1) - picked)

    def record(self, forward: Forward, variables: list[Any]) -> Pull:
        target, pull = self.jax.vjp(forward, *variables)
        return lambda: self.jax.block_until_ready(pull(self.jnp.ones_like(target)))

    def twice(self, forward: Forward, variables: list[Any]) -> list[Any]:
        grad = self.jax.grad
        return [self.jax.block_until_ready(grad(grad(forward))(*variables))]


CONTESTANTS: dict[str, Callable[[], Framework]] = {
    "tapeviz": Tapeviz,
    "tapeviz, values off": partial(Tapeviz, values="none"),
    "PyTorch": PyTorch,
    "TensorFlow": Tape,
    "autograd": Autograd,
    "JAX": Jax,
}
"""Who is timed, by the name it is printed under."""

PERSISTENT: dict[str, Callable[[], Framework]] = {
    "tapeviz, persistent": partial(Tapeviz, persistent=True),
    "tapeviz, values off, persistent": partial(Tapeviz, values="none", persistent=True),
    "TensorFlow, persistent": partial(Tape, persistent=True),
}
"""Who is looked at for its memory besides: tapes that discard nothing."""


def missing(name: str) -> str | None:
    """What to install for a contestant, None if it is here."""
    make = (CONTESTANTS | PERSISTENT)[name]
    package: str = getattr(make, "func", make).package
    return None if find_spec(package) else package


@cache
def framework(name: str) -> Framework:
    """A contestant; its package is imported at the first call.

    Raises:
        ImportError: it is not installed.
    """
    return (CONTESTANTS | PERSISTENT)[name]()


def checked_step(name: str, program: Program) -> Callable[[], Any]:
    """A contestant's step of a program, once its gradients have been found to be those by hand.

    Raises:
        AssertionError: they differ.
    """
    step = framework(name).step(program)
    _, expected = program.by_hand(*program.inputs, *program.variables)
    for found, wanted in zip(step(), expected, strict=True):
        np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-4, atol=1e-4 * np.abs(wanted).max())
    return step
