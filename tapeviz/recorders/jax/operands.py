"""What equations pass to each other as they are evaluated, and what the reverse pass needs of each op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
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
    """A value that passes between equations.

    Attributes:
        value: the array.
        entry: its raw id, or the NumPy scalar of a literal.
        followed: whether it is computed from something whose gradient is requested.
        perturbed: whether this is so in JAX, too, where the result of `stop_gradient` or `floor` is a constant. An op
            that reads only constants needs no derivative, and some ops have none.
    """

    value: Any
    entry: Any
    followed: bool = False
    perturbed: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the value."""
        return tuple(np.shape(self.value))

    @property
    def dtype(self) -> Any:
        """Of the value."""
        return self.value.dtype


@dataclass(frozen=True, slots=True)
class LoggedOp:
    """An op of the forward pass that the reverse pass comes back to, with what its VJP needs.

    Attributes:
        inputs: its operands.
        outputs: its results.
        passes: for each operand, whether its cotangent is passed on.
        vjp: takes a cotangent for each output, and gives one for each perturbed operand.
        may_give_zeros: whether some of these may be zeros for any cotangents, as for an operand from which only another
            output is computed.
    """

    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    passes: tuple[bool, ...]
    vjp: Callable[[tuple[Any, ...]], tuple[Any, ...]]
    may_give_zeros: bool = False


def literal(atom: Any) -> Operand:
    """A number that is written into a jaxpr."""
    number = np.asarray(atom.val, atom.aval.dtype)[()]
    return Operand(jax.numpy.asarray(number), number)


def unfollowed(operands: Sequence[Operand]) -> list[Operand]:
    """The same values as constants, whose gradients are not requested."""
    return [replace(each, followed=False, perturbed=False) for each in operands]
