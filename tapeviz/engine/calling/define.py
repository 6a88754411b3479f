"""A row (primal, VJPs, facts) -> the op, in the op table, and the function that calls it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeviz.engine.calling.call import caller
from tapeviz.engine.facts import ORDINARY, Facts, Public
from tapeviz.engine.op import Op, Rule
from tapeviz.engine.op_dtypes import enter
from tapeviz.engine.table import OPS


def defop(
    name: str,
    primal: Callable[..., Any],
    facts: Facts = ORDINARY,
    public: Public | None = None,
    *,
    forward: Callable[..., tuple[Any, Any]] | None = None,
    **rules: Rule | None,
) -> Callable[..., Any]:
    """Define an op: its primal on arrays, and for each tensor argument, in order, its VJP or None.

    What is returned is the function that calls the op, of the same `__name__`; the op itself is in `OPS`.
    `forward` gives what `primal` does, and the residual.

    Raises:
        TypeError: a rule asks for something the op has not.
        ValueError: the name is taken.
    """
    if name in OPS:
        raise ValueError(f"There is an op {name!r} already.")
    op = OPS[name] = callable_op(Op(name, primal, rules, facts, forward, public))
    enter(name, facts, public)
    return op.call


def callable_op(op: Op) -> Op:
    """The op, with the function that calls it."""
    op.call = caller(op)
    op.call.__name__ = op.call.__qualname__ = op.name
    op.call.primal = op.primal  # type: ignore[attr-defined]
    return op
