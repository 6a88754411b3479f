"""What all rules for evaluating equations have in common: their type."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from jax.extend import core

from tapeviz.recorders.jax.operands import Operand
from tapeviz.recorders.jax.places import Place

if TYPE_CHECKING:
    from tapeviz.recorders.jax.forward import Forward

EquationRule: TypeAlias = Callable[["Forward", core.JaxprEqn, list[Operand], Place], list[Operand]]
"""(the pass, an equation, its inputs, the user's instruction) -> its outputs, of which the log has been told."""
