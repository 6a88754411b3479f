"""What all rules for evaluating equations have in common: their type, and the function that an equation computes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from jax.extend import core

from tapeviz.recorders.jax.operands import Operand
from tapeviz.recorders.jax.places import Place

if TYPE_CHECKING:
    from tapeviz.recorders.jax.forward import Forward

EquationRule: TypeAlias = Callable[["Forward", core.JaxprEqn, list[Operand], Place], list[Operand]]
"""(the pass, an equation, its inputs, the user's instruction) -> its outputs, of which the log has been told."""


def function_of(equation: core.JaxprEqn, order: Sequence[int] | None = None) -> Callable[..., Sequence[Any]]:
    """The function that an equation computes; its arguments are the equation's inputs, or these in another `order`."""
    primitive: Any = equation.primitive
    slots = range(len(equation.invars)) if order is None else order

    def function(*values: Any) -> Sequence[Any]:
        operands = dict(zip(slots, values, strict=True))
        params = primitive.get_bind_params(equation.params)
        functions, params = params if isinstance(params, tuple) else ((), params)  # apart until JAX 0.8
        with equation.ctx.manager:
            result = primitive.bind(*functions, *(operands[slot] for slot in range(len(values))), **params)
        return result if primitive.multiple_results else (result,)

    return function
