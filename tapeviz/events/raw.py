"""What writers append: one flat record of `STRIDE` entries per thing that happened.

Nothing is built while the program runs. A record of an op is

    kind     the op's name (a str)
    inputs   per input its tensor id (an int), or the NumPy scalar of a literal
    outputs  the id of its output, or a tuple of ids
    values   its output, or a tuple of outputs; a spec in place of each value that is not kept
    attrs    a tuple of (name, value) pairs
    saved    indices into inputs + outputs of what its VJPs keep
    tapes    the ids of the tapes that recorded it
    scope    the `ScopeNode` it ran in
    code     the user's code object, and
    lasti    the instruction in it

Any other record has as its kind an event class, or one of those below, and uses the entries as its reader takes them:
a module of `events.readers`.
`events.values` says what values and specs are.
"""

from __future__ import annotations

from itertools import count
from types import CodeType

STRIDE = 10
KIND, INPUTS, OUTPUTS, VALUES, ATTRS, SAVED, TAPES, SCOPE, CODE, LASTI = range(STRIDE)

IN_PLACE = ("in_place", True)
"""The attribute of an op that overwrote its first input."""

UNREDUCED = ("reduced", False)
"""The attribute of an op that gathers parameters, where the gradients of what it gives stay in their process."""

PARTS_OF = "parts_of"
"""The name of the attribute of such an op that lists, for each input, the output that it is a part of, by its position:
of the others this process has no part. Without it there is one input to each, or the inputs are parts of them all."""

UNFINISHED = ("finished", False)
"""The attribute of a collective that came to no end: others of its group may not have called it."""

UNSCALES = "_amp_foreach_non_finite_check_and_unscale"
"""The op by which PyTorch, and nothing else, divides gradients by the factor of the loss: its kernel's name."""

counter = count(1)
next_id = counter.__next__
"""The process-wide counter of tensors, tapes and runs, whoever writes them, and its next number."""


class Mentioned:
    """Kind of the record of a tensor that was made before the log was opened, at its first use.

    Its tapes are those that follow it from here on, because it is a variable.
    """


class Named:
    """Kind of the record that gives a tensor a name, where its own line gives it none; None takes its name away.

    One of a tuple of tensors says that they are the results of its line, and that what went into it is not. A name in a
    tuple of its own counts only where the program's variables have no longer one, as `net.weight` is for `weight`.
    """


class Missed:
    """Kind of the record that marks a gap: what happened before it was not kept."""


class PulledBack:
    """Kind of the record of several steps back; its values are a flat sequence of three a step, which may grow.

    A VJP that gave one contribution: the id of the op's output, the index of the input, the contribution. One that may
    have given several, of which none is kept: the id or ids of the output, True or None per input, True. A sum of
    contributions: the id of the tensor that they arrived at, None, the sum. An id stands for what is itself recorded,
    True for what is not kept.
    """


class Deferred:
    """Kind of the record after some that may give way to others, which are computed when a reader asks for the log.

    Its attributes are the `Deferral` that computes them, and how many records it may replace; its values are those that
    it computes from, as far as they count against the budget.
    """


class Arrived:
    """Kind of the record of a gradient on its way back, at which the program gets to see it."""


class ScopeNode:
    """One call on the way to an op: the called code, and the caller's instruction (no caller: a library's)."""

    __slots__ = ("caller", "code", "lasti", "parent")

    def __init__(self, parent: ScopeNode | None, code: CodeType, caller: CodeType | None, lasti: int) -> None:
        self.parent = parent
        self.code = code
        self.caller = caller
        self.lasti = lasti
