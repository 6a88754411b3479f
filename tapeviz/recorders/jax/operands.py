"""What passes between the equations while they are evaluated, and what a reverse pass needs of each op."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np


@dataclass(frozen=True, slots=True)
class Operand:
    """A value: `entry` is its raw id, or the NumPy scalar of a literal; `followed`: a gradient of it is asked for."""

    value: Any
    entry: Any
    followed: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the value."""
        return tuple(np.shape(self.value))

    @property
    def dtype(self) -> Any:
        """Of the value."""
        return self.value.dtype


@dataclass(frozen=True, slots=True)
class Node:
    """An op that a gradient can pass. `vjp` takes a cotangent for each output and gives one for each operand that is
    followed."""

    op: str
    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    vjp: Callable[[tuple[Any, ...]], tuple[Any, ...]]


def literal(atom: Any) -> Operand:
    """A number that is written into a jaxpr."""
    number = np.asarray(atom.val, atom.aval.dtype)[()]
    return Operand(jax.numpy.asarray(number), number)
