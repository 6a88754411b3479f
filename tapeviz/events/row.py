r"""What a reader may know of one op: arguments, formulas as LaTeX, edges of its domain.

A template is LaTeX in which `{name}` stands for an argument, an attribute, `{out}`, or `{g}`, the upstream gradient;
`\frac{{g}}{{x}}` is g over x, `\text{or}` is the word. `None` in place of a VJP says that there is no derivative.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

Kind: TypeAlias = Literal[
    "additive", "bounded", "choice", "collective", "comparison", "copy", "difference", "draw", "entry_extreme",
    "extreme", "join", "logarithm", "lookup", "piece", "power", "product", "quotient", "rectifier", "reshaping",
    "scaling", "softmax", "softmax_loss", "step", "view",
]  # fmt: skip
"""What sort of op it is; `diagnosis/op_kinds.py` explains each."""


@dataclass(frozen=True)
class Row:
    """What is known of one op: `vjps` has one template, or None, per argument, in the order of `arguments`.

    `domain` tells the edges in words, with arguments in braces; at some numbers of the argument `pole` the op or a
    derivative is infinite or NaN. Of an op that is `unregistered` TensorFlow knows no gradient, not even that there is
    none: to ask is an error. One that `broadcasts` stretches its operands to one shape: the gradient of an operand that
    was stretched is summed.
    """

    name: str
    arguments: tuple[str, ...]
    formula: str
    vjps: Mapping[str, str | None] = field(default_factory=dict)
    domain: tuple[str, ...] = ()
    unregistered: bool = False
    pole: str | None = None
    broadcasts: bool = False

    def edges(self) -> tuple[str, ...]:
        """The edges of its domain, by the names of its arguments.

        >>> Row("log", ("x",), "", domain=("{x} < 0: NaN",)).edges()
        ('x < 0: NaN',)
        """
        return tuple(re.sub(r"\{(\w+)\}", r"\1", edge) for edge in self.domain)

    def passes(self, slot: int) -> bool:
        """Whether a gradient passes, or may pass, to the operand at `slot`.

        >>> where = Row("where", ("condition", "x"), "", {"condition": None, "x": "{g}"})
        >>> where.passes(0), where.passes(1)
        (False, True)
        """
        argument = self.argument(slot)
        return argument is None or self.vjps.get(argument) is not None

    def reads(self, argument: str) -> frozenset[str]:
        """What the VJP of an argument is computed from besides the upstream gradient: arguments, attributes, `out`.

        >>> sorted(Row("mul", ("x", "y"), "", {"x": r"{g} \\cdot {y}", "y": r"{g} \\cdot {x}"}).reads("x"))
        ['y']
        """
        return frozenset(re.findall(r"\{(\w+)\}", self.vjps.get(argument) or "")) - {"g"}

    def argument(self, slot: int) -> str | None:
        """The name of the argument that takes the operand at `slot`: the last takes all that follow; None where the
        row names none.

        >>> Row("stack", ("values",), "").argument(5)
        'values'
        """
        return self.arguments[min(slot, len(self.arguments) - 1)] if self.arguments else None


class RowTable(dict[str, Row]):
    """A table of rows by the names of their ops, written op by op, with what no log has to hold.

    Attributes:
        tensorflow: TensorFlow's ops that are called so in a log; the first is the one of that computation. Each is its
            name alone if its inputs are the arguments of the row, else a line of a recorder's table
            (`recorders/signatures.py`) without the name of the row.
        kinds: the kinds of op that it is one of.
    """

    def __init__(self) -> None:
        self.tensorflow: dict[str, tuple[str, ...]] = {}
        self.kinds: dict[str, frozenset[Kind]] = {}

    def op(
        self,
        name: str,
        formula: str,
        *domain: str,
        tensorflow: str = "",
        unregistered: bool = False,
        pole: str | None = None,
        broadcasts: bool = False,
        kinds: str = "",
        **vjps: str | None,
    ) -> None:
        """Enter an op. Its `vjps` have the arguments' names; commas part TensorFlow's ops, and spaces kinds.

        Raises:
            ValueError: there is a row of that name, or no kind of such a name.
        """
        if name in self:
            raise ValueError(f"There is a row of an op {name!r} already.")
        self[name] = Row(name, tuple(vjps), formula, vjps, domain, unregistered, pole, broadcasts)
        self.tensorflow[name] = tuple(filter(None, tensorflow.split(", ")))
        self.kinds[name] = kinds_of(kinds)


def kinds_of(words: str) -> frozenset[Kind]:
    """Kinds that are written as words.

    Raises:
        ValueError: a word is no kind.
    """
    known = {str(kind): kind for kind in get_args(Kind)}
    unknown = [word for word in words.split() if word not in known]
    if unknown:
        raise ValueError(f"There is no kind of op {unknown[0]!r}: it is one of {', '.join(known)}.")
    return frozenset([known[word] for word in words.split()])
