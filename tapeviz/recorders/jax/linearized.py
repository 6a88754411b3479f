"""A function and its arguments -> its results and its VJP; of equations that are alike, JAX is asked once.

What JAX works out for the gradient of an equation are equations, too: for the results with what the VJP keeps of them,
and for the VJP. A deep network has few different ones. They are run one by one, so that each number is what JAX has
when it differentiates the equation itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import jax
from jax.extend import core

from tapeviz.recorders.jax.equation_function import EquationFunction
from tapeviz.recorders.jax.operands import Operand, Vjp
from tapeviz.recorders.jax.values import is_differentiable


class _Traced(NamedTuple):
    """The equations of a function: those that compute so many `results` and what is kept, and those of its VJP."""

    forward: Callable[..., Sequence[Any]]
    backward: Callable[..., Sequence[Any]]
    results: int


class Linearized:
    """The functions of one evaluation of a jaxpr, and their gradients."""

    def __init__(self) -> None:
        self._traced: dict[Hashable, _Traced | None] = {}
        self._met: set[Hashable] = set()

    def apply(self, function: Callable[..., Sequence[Any]], inputs: Sequence[Operand]) -> tuple[Sequence[Any], Vjp]:
        """The results of a function, and its VJP with respect to the perturbed inputs."""
        values = [each.value for each in inputs]
        slots = tuple([slot for slot, each in enumerate(inputs) if each.perturbed])
        primals = tuple([values[slot] for slot in slots])

        def of_perturbed(*perturbed: Any) -> tuple[Any, ...]:
            return tuple(function(*_with(values, slots, perturbed)))

        traced = self._of(function, values, slots)
        if traced is None:
            results, pull = jax.vjp(of_perturbed, *primals)
            return results, Vjp(of_perturbed, primals, pull)
        found = traced.forward(*values)
        return found[: traced.results], Vjp(of_perturbed, primals, _Pull(traced.backward, found[traced.results :]))

    def _of(
        self, function: Callable[..., Sequence[Any]], values: Sequence[Any], slots: tuple[int, ...]
    ) -> _Traced | None:
        """What is traced of a function, once it is called again."""
        alike = function.alike if isinstance(function, EquationFunction) else None
        if alike is None:
            return None
        key = alike, slots, tuple([jax.typeof(each) for each in values])
        if key in self._met and key not in self._traced:
            self._traced[key] = _trace(function, values, slots)
        self._met.add(key)
        return self._traced.get(key)


def _trace(function: Callable[..., Sequence[Any]], values: Sequence[Any], slots: Sequence[int]) -> _Traced | None:
    """The equations of a function and of its VJP; None where a result has no derivative, for which JAX has no zeros."""
    structure: list[Any] = []

    def forward(*values: Any) -> tuple[Any, ...]:
        def of_perturbed(*perturbed: Any) -> tuple[Any, ...]:
            return tuple(function(*_with(values, slots, perturbed)))

        results, pull = jax.vjp(of_perturbed, *[values[slot] for slot in slots])
        kept, tree = jax.tree_util.tree_flatten(pull)
        structure[:] = [len(results), tree]
        return *results, *kept

    forwards = jax.make_jaxpr(forward)(*values)
    count, tree = structure
    results, kept = forwards.out_avals[:count], forwards.out_avals[count:]
    if not all(map(is_differentiable, results)):
        return None

    def backward(kept: Sequence[Any], cotangents: tuple[Any, ...]) -> tuple[Any, ...]:
        pulled: tuple[Any, ...] = tree.unflatten(kept)(cotangents)
        return pulled

    backwards = jax.make_jaxpr(backward)(kept, tuple(results))
    return _Traced(core.jaxpr_as_fun(forwards), core.jaxpr_as_fun(backwards), count)


def _with(values: Sequence[Any], slots: Sequence[int], perturbed: Sequence[Any]) -> list[Any]:
    """All arguments of a function, with these in the places of the perturbed ones."""
    changed = dict(zip(slots, perturbed, strict=True))
    return [changed.get(slot, each) for slot, each in enumerate(values)]


@jax.tree_util.register_pytree_node_class
class _Pull:
    """The VJP, and what it keeps, which are its leaves."""

    def __init__(self, backward: Callable[..., Sequence[Any]], kept: Sequence[Any]) -> None:
        self._backward, self._kept = backward, kept

    def __call__(self, cotangents: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(self._backward(*self._kept, *cotangents))

    def tree_flatten(self) -> tuple[tuple[Any, ...], Any]:
        """For JAX: its leaves, and what else it is made of."""
        return tuple(self._kept), self._backward

    @classmethod
    def tree_unflatten(cls, backward: Any, kept: Sequence[Any]) -> _Pull:
        """For JAX: made of these again."""
        return cls(backward, kept)
