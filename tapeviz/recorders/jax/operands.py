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
class Vjp:
    """The VJP of a function at `primals`; `pull` is JAX's, which wants a cotangent for every output.

    Zeros in place of a cotangent that nothing reached would not do: where an output has no derivative, as the vectors
    of equal eigenvalues, 0 * inf is NaN. Then the function of the other outputs alone is differentiated, as JAX has it.
    """

    function: Callable[..., tuple[Any, ...]]
    primals: tuple[Any, ...]
    pull: Callable[[tuple[Any, ...]], tuple[Any, ...]]

    def __call__(self, cotangents: tuple[Any, ...]) -> tuple[Any, ...]:
        """The cotangents of the primals."""
        given = [slot for slot, each in enumerate(cotangents) if each is not None]
        if len(given) == len(cotangents):
            return self.pull(cotangents)

        def of_reached(*primals: Any) -> tuple[Any, ...]:
            outputs = self.function(*primals)
            return tuple(outputs[slot] for slot in given)

        return tuple(jax.vjp(of_reached, *self.primals)[1](tuple(cotangents[slot] for slot in given)))


@dataclass(frozen=True, slots=True)
class LoggedOp:
    """An op of the forward pass that the reverse pass comes back to, with what its VJP needs.

    Attributes:
        inputs: its operands.
        outputs: its results.
        passes: for each operand, whether its cotangent is passed on.
        vjp: takes a cotangent for each output, None where nothing reached it, and gives one for each perturbed operand.
        may_give_zeros: whether some of these may be zeros for any cotangents, as for an operand from which only another
            output is computed.
        witness: takes the gradient of what a user's function computed, where it defines one of its own.
    """

    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    passes: tuple[bool, ...]
    vjp: Callable[[tuple[Any, ...]], tuple[Any, ...]]
    may_give_zeros: bool = False
    witness: Callable[..., None] | None = None


def literal(atom: Any) -> Operand:
    """A number that is written into a jaxpr."""
    number = np.asarray(atom.val, atom.aval.dtype)[()]
    return Operand(jax.numpy.asarray(number), number)


def unfollowed(operands: Sequence[Operand]) -> list[Operand]:
    """The same values as constants, whose gradients are not requested."""
    return [replace(each, followed=False, perturbed=False) for each in operands]
