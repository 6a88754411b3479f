"""What is known of an op besides its primal and VJPs: stated in its row, or inferred from its rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from tapeviz.engine.specs.dtype_sets import EVERY, NONE, Dtypes

Over: TypeAlias = Literal["entries", "rows", "all"]
SeedShape: TypeAlias = Literal["broadcast", "exact", "reshaped", "rearranged", "handed on", "scaled"]
Tangents: TypeAlias = Literal["linear", "bilinear", "elementwise", "transposed"]


@dataclass(frozen=True)
class Facts:
    """What is known of an op.

    What is None in a row is inferred: an op without options works elementwise, unless it takes any number of tensors,
    and the way to compute its tangents follows from what its rules ask for.
    """

    dtypes: Dtypes | None = None
    """The dtypes in the signature of TensorFlow's op; None of one that takes every dtype, and is called by no function
    that checks it."""

    no_kernel: Dtypes = NONE
    """Those of them for which TensorFlow has no kernel on a CPU: another error."""

    recast: bool = False
    """Whether an output may have another dtype than the input, as in `cast`, and then perhaps no gradients."""

    holomorphic: bool = True
    """Whether its rules give derivatives for complex inputs, to be conjugated; if not, they give gradients already."""

    of_matrices: bool = False
    """Whether its operands are matrices, broadcast only along axes before the last two."""

    over: Over | None = None
    """What one number of its result depends on: "entries", those in the same place, after broadcasting; "rows", the
    numbers along the last axes, as the axes before them are batches; "all", the whole value."""

    batched: Callable[..., Any] | None = None
    """The function that computes it for a batch (`rules.batching`), if it works neither on entries nor on rows."""

    tangents: Tangents | None = None
    """How its tangents are computed in forward mode. "linear": by the op itself, if every input with a rule has a
    tangent; "bilinear": by the op, with one input at a time replaced by its tangent; "elementwise": by its VJPs;
    "transposed", which is right for every op: by the derivative of its VJPs."""

    symmetric: bool = False
    """Whether its input is a symmetric matrix, so that only derivatives along symmetric directions are meant."""

    free_signs: tuple[int, ...] = ()
    """The outputs whose columns have an arbitrary sign, which is the same in all of these outputs."""

    rounds_once: bool = False
    """Whether TensorFlow's kernel for bfloat16 rounds only its result, not every intermediate step."""

    seed_shape: SeedShape | None = None
    """What TensorFlow's gradient function does with a seed of another shape than the op's result. By default, that of
    an elementwise op broadcasts it, and that of any other op refuses it.

    "broadcast": the gradient function is arithmetic, as that of `softmax`.
    "exact": it is a kernel, as that of `tanh`, and refuses it. (Some kernels read fewer numbers; here they do not.)
    "reshaped": it first reshapes the seed, so that a seed of one number may have any shape; else as "exact".
    "rearranged": it only reshapes the seed, which may have any shape of as many numbers; else as "exact".
    "handed on": it returns the seed unchanged, also as slices, for one input, or if the second input is a number; if
    both inputs are tensors, it reshapes it.
    "scaled": it returns the seed times the other input. If that is a number, the gradient of the first input has the
    seed's shape, and that of the second is reshaped."""

    hands_out: bool = False
    """Whether its rules take slices and return slices for each of several inputs, as TensorFlow's gradient does."""

    @property
    def taken(self) -> Dtypes:
        """The dtypes that it takes."""
        allowed = EVERY if self.dtypes is None else self.dtypes
        return allowed - self.no_kernel if self.no_kernel else allowed


ORDINARY = Facts()
"""The facts of an op whose row says nothing."""


@dataclass(frozen=True)
class Public:
    """What the public function of an op that computes entry by entry is made of, in `functions/math/elementwise`."""

    names: str
    """TensorFlow's names for it, without the `tf.`."""

    what: str
    """What it computes, in a sentence."""

    operands: str = ""
    """TensorFlow's names of its parameters, if these are not the arguments of the op."""

    dtypes: Dtypes | None = None
    """The dtypes that it takes, if these are fewer than the op's, which Python's operator takes."""
