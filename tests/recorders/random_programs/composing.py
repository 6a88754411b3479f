"""A framework and a seed -> the source of a random program, of plain ops and pieces; a piece -> that of it alone."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any

from tests.diagnosis import random_programs as random_tensorflow
from tests.diagnosis import random_torch
from tests.recorders.frameworks import jax_state, tensorflow_state, torch_state
from tests.recorders.jax import random_programs as random_jax

NESTED = 12
"""How many expressions of a transform around others a random program may draw, besides the pieces."""
HELPERS = ("shape_of", "total", "slope_of", "tangent_of")
"""Functions of the pieces' modules that are no pieces."""


@dataclass(frozen=True)
class Framework:
    """How programs of a framework are written and run.

    Attributes:
        name: its module's.
        alone: the source of a program of one piece, `{piece}`.
        write: (seed, calls of pieces) -> the source of a random program.
        state: what of the framework a recording could leave changed.
        seed: begins its random numbers anew.
        ending: the last line of a program, which draws random numbers.
        options: those of a recording in which it computes the same, bit by bit.
    """

    name: str
    alone: str
    write: Callable[[int, tuple[str, ...]], str]
    state: Callable[[Any], list[Any]]
    seed: Callable[[Any], object] = lambda module: None
    ending: str = ""
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def module(self) -> Any:
        """The framework."""
        return importlib.import_module(self.name)

    def space(self) -> dict[str, Any]:
        """What the programs have by name: the pieces."""
        return {name: each for name, each in vars(self._pieces).items() if not name.startswith("__")} | self._bridges()

    def pieces(self) -> list[str]:
        """The names of the pieces, in their order."""
        own = [name for name in vars(self._pieces) if _is_piece(self._pieces, name)]
        return [*own, *self._bridges()]

    def program(self, seed: int) -> str:
        """The source of a random program."""
        draw = random.Random(f"around {seed}")
        pieces = [f"{each}({{}})" for each in self.pieces()]
        return self.write(seed, (*pieces, *(self._nested(draw) for _ in range(NESTED)))) + self.ending

    def _nested(self, draw: random.Random) -> str:
        """A transform of a function that calls one or two pieces, or has another transform in it."""
        inner = "each"
        for _ in range(draw.randint(1, 2)):
            inner = f"{draw.choice(self._pieces.INSIDE)}({inner})"
        if draw.random() < 0.3:
            inner = draw.choice(self._pieces.AROUND).replace("FUNCTION", f"(lambda each: {inner})").format("each")
        return draw.choice(self._pieces.AROUND).replace("FUNCTION", f"(lambda each: {inner})")

    def of_one(self, piece: str) -> str:
        """The source of a program of one piece."""
        return self.alone.format(piece=piece) + self.ending

    @property
    def _pieces(self) -> ModuleType:
        return importlib.import_module(f"tests.recorders.random_programs.{self.name}_pieces")

    def _bridges(self) -> dict[str, Any]:
        bridges = importlib.import_module("tests.recorders.random_programs.bridges")
        return {name: each for name, each in vars(bridges).items() if name.startswith(f"{self.name}_through_")}


def _is_piece(module: ModuleType, name: str) -> bool:
    each = getattr(module, name)
    is_made_here = getattr(each, "__module__", None) == module.__name__
    is_function = isinstance(each, FunctionType) or (callable(each) and not isinstance(each, type))
    return is_made_here and is_function and not name.startswith("_") and name not in HELPERS


TORCH = """\
v0 = torch.tensor([0.3, -0.7, 0.9], requires_grad=True)
t0 = {piece}(v0)
loss = (t0 * t0).sum() + (v0 ** 2).sum()
loss.backward()
"""
TENSORFLOW = """\
v0 = tf.Variable([0.3, -0.7, 0.9])
with tf.GradientTape() as tape:
    t0 = {piece}(v0)
    loss = tf.reduce_sum(t0 * t0) + tf.reduce_sum(v0 ** 2)
slope = tape.gradient(loss, v0)
"""
JAX = """\
def program(x):
    t0 = {piece}(x)
    return jnp.sum(t0 * t0) + jnp.sum(x ** 2)
value, slope = jax.value_and_grad(program)(jnp.array([0.3, -0.7, 0.9]))
"""


def _begin_torch(torch: Any) -> None:
    torch.manual_seed(0)


def _begin_tensorflow(tf: Any) -> None:
    tf.keras.backend.clear_session(free_memory=False)
    tf.random.set_seed(0)


def _of_jax(seed: int, pieces: tuple[str, ...]) -> str:
    """A random function of JAX's, and a line that takes its gradient, compiled or not."""
    draw = random.Random(seed)
    x, w = ([round(draw.uniform(-1, 1), 2) for _ in range(random_jax.SIZE)] for _ in "xw")
    taken = draw.choice(("{}", "jax.jit({})")).format("jax.value_and_grad(healthy, argnums=(0, 1))")
    call = f"value, slopes = {taken}(jnp.array({x}), jnp.array({w}))\n"
    return random_jax.program(seed, pieces)[0] + random_jax.ALL_TAKE_PART + call


FRAMEWORKS = {
    each.name: each
    for each in (
        Framework("torch", TORCH, random_torch.program, torch_state, _begin_torch, "later = torch.rand(2)\n"),
        Framework(
            "tensorflow",
            *(TENSORFLOW, random_tensorflow.program, tensorflow_state, _begin_tensorflow),
            "later = tf.random.uniform([2])\n",
            {"functions": "graph"},  # run eagerly, compiled functions may differ in the last digit
        ),
        Framework("jax", JAX, _of_jax, jax_state),
    )
}
