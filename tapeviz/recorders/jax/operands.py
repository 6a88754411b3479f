"""What equations pass to each other as they are evaluated, and what the reverse pass needs of each op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import jax
import numpy as np
from jax.extend import core


class Closed(Protocol):
    """A jaxpr that comes with its constants: JAX's `ClosedJaxpr`, and since JAX 0.12 every jaxpr."""

    @property
    def jaxpr(self) -> core.Jaxpr:
        """The equations."""

    @property
    def consts(self) -> Sequence[Any]:
        """The arrays that they read without being handed them."""


@dataclass(frozen=True, slots=True)
class Operand:
    """A value: `entry` is its raw id, or the NumPy scalar of a literal.

    `followed`: it is computed from what a gradient is wanted of. `moves`: so it is for JAX, to which what is behind a
    `stop_gradient` or a `floor` is a constant: it asks no op there for a derivative, and some have none.
    """

    value: Any
    entry: Any
    followed: bool = False
    moves: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the value."""
        return tuple(np.shape(self.value))

    @property
    def dtype(self) -> Any:
        """Of the value."""
        return self.value.dtype


@dataclass(frozen=True, slots=True)
class VjpNode:
    """An op that a gradient can pass.

    `vjp` takes a cotangent for each output and gives one for each operand that moves. Only those that the op `passes`
    go on. `sifted`: some may be zeros whatever arrives, as of an operand that only another output is computed from.
    """

    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    passes: tuple[bool, ...]
    vjp: Callable[[tuple[Any, ...]], tuple[Any, ...]]
    sifted: bool = False


def literal(atom: Any) -> Operand:
    """A number that is written into a jaxpr."""
    number = np.asarray(atom.val, atom.aval.dtype)[()]
    return Operand(jax.numpy.asarray(number), number)
