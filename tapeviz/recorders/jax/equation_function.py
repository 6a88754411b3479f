"""An equation -> the function that it computes, and what is equal for others that compute the same."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from jax.extend import core


@dataclass(frozen=True, eq=False)
class EquationFunction:
    """The function that an equation computes; its arguments are the equation's inputs, or these in another `order`."""

    equation: core.JaxprEqn
    order: Sequence[int] | None = None

    def __call__(self, *values: Any) -> Sequence[Any]:
        slots = range(len(self.equation.invars)) if self.order is None else self.order
        operands = dict(zip(slots, values, strict=True))
        with self.equation.ctx.manager:
            return evaluated(self.equation, [operands[slot] for slot in range(len(values))])

    @property
    def alike(self) -> Hashable | None:
        """What is equal for equations that compute the same; None for one that does more than that."""
        equation = self.equation
        if equation.effects:
            return None
        order = None if self.order is None else tuple(self.order)
        params = tuple([(name, type(each), each) for name, each in sorted(equation.params.items())])
        key = self._primitive, order, equation.ctx, params
        try:
            hash(key)
        except TypeError:  # an array is among the parameters
            return None
        return key

    @property
    def _primitive(self) -> Any:
        return self.equation.primitive


def evaluated(equation: core.JaxprEqn, values: Sequence[Any]) -> Sequence[Any]:
    """The outputs of an equation for these inputs."""
    primitive: Any = equation.primitive
    params = primitive.get_bind_params(equation.params)
    functions, params = params if isinstance(params, tuple) else ((), params)  # apart until JAX 0.8
    result = primitive.bind(*functions, *values, **params)
    return result if primitive.multiple_results else (result,)
