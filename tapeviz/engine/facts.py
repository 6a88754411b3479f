"""What is known of an op besides its primal and VJPs: stated in its row, or inferred from its rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Over: TypeAlias = Literal["entries", "rows", "all"]
SeedShape: TypeAlias = Literal["broadcast", "exact", "reshaped", "rearranged", "handed on", "scaled"]
Tangents: TypeAlias = Literal["linear", "bilinear", "elementwise", "transposed"]


@dataclass(frozen=True)
class Facts:
    """What an op's row says of it.

    What is None in a row is inferred: an op without options works elementwise, unless it takes any number of tensors,
    and how forward mode takes its tangents follows from what its rules ask for.
    """

    recast: bool = False
    """Its output may have another dtype than its input, as that of `cast`, and then carry no gradients; so may one of
    several outputs."""

    holomorphic: bool = True
    """Of complex inputs its rules are derivatives, whose conjugates are gradients; or they are gradients already."""

    of_matrices: bool = False
    """Its operands are stretched only along axes before their last two."""

    over: Over | None = None
    """What it computes with at a time: "entries", broadcast; "rows", the last axes, those before them being batches;
    "all", the whole value."""

    batched: Callable[..., Any] | None = None
    """How it works along one more leading axis (`rules.batching`), if neither by entries nor by rows."""

    tangents: Tangents | None = None
    """How forward mode takes tangents through it. "linear": as values, if every input that has a rule has a tangent;
    "bilinear": with one of its inputs at a time replaced; "elementwise": by its VJPs; "transposed", which any op can
    go: by the derivative of its VJPs."""

    symmetric: bool = False
    """Its matrices are symmetric, and it is differentiated along symmetric directions only."""

    free_signs: tuple[int, ...] = ()
    """The outputs whose columns are vectors of arbitrary sign: negated together, they are as good."""

    rounds_once: bool = False
    """Of bfloat16 TensorFlow's kernel rounds only in the end, not after every step."""

    seed_shape: SeedShape | None = None
    """What TensorFlow's gradient of it does with a seed that is not of its result's shape: by default, an elementwise
    op broadcasts it, and every other op refuses it.

    "broadcast": the gradient is arithmetic, as that of `softmax`.
    "exact": it is a kernel, as that of `tanh`; some kernels compute with fewer numbers, too, and that is refused.
    "reshaped": it reshapes what comes first, so that one number may come in any shape; else as "exact".
    "rearranged": it is nothing but a reshape, so that as many numbers may come in any shape; else as "exact".
    "handed on": it is what comes as it is, slices too; of two inputs, if the other is a number; else it is reshaped.
    "scaled": it is what comes times the other input; if that is a number, it is of the shape of what comes for the
    first input, and for the second it is reshaped."""

    hands_out: bool = False
    """TensorFlow's gradient of it, an op of several tensors, hands slices on to each as slices: so do its rules."""

    unregistered: str = ""
    """What TensorFlow calls an op that it knows no gradient of, not even that there is none."""


ORDINARY = Facts()
"""The facts of an op whose row says nothing."""
