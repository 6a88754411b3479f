"""A jaxpr -> which of its results are computed from which of its arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax.extend import core

from tapeviz.recorders.jax.values import is_differentiable


def computed_of(body: core.Jaxpr, perturbed: Sequence[bool]) -> list[bool]:
    """Which results of a jaxpr are computed from its `perturbed` arguments, through values that have derivatives."""
    known = {variable for variable, is_so in zip(body.invars, perturbed, strict=True) if is_so}
    for equation in body.eqns:
        read = {each for each in equation.invars if isinstance(each, core.Var)}
        if equation.primitive.name != "stop_gradient" and not read.isdisjoint(known):
            known.update(each for each in equation.outvars if is_differentiable(each.aval))
    return [isinstance(each, core.Var) and each in known for each in body.outvars]


def read_by(body: core.Jaxpr) -> list[set[int]]:
    """For each result of a jaxpr the arguments, by index, that it is computed from, through values with derivatives."""
    known = {variable: {index} for index, variable in enumerate(body.invars)}
    for equation in body.eqns:
        read = [known[each] for each in equation.invars if isinstance(each, core.Var) and each in known]
        if equation.primitive.name != "stop_gradient" and read:
            whole = read[0] if len(read) == 1 else set().union(*read)
            known.update((each, whole) for each in equation.outvars if is_differentiable(each.aval))
    return [known.get(each, set()) if isinstance(each, core.Var) else set() for each in body.outvars]


def computed_by(vjp: Callable[[tuple[Any, ...]], tuple[Any, ...]], cotangents: tuple[Any, ...]) -> list[bool]:
    """Which of the gradients that a VJP gives are computed from its cotangents, None where nothing reached an output.

    The others are zeros, whatever the program computes.
    """
    body = jax.make_jaxpr(vjp)(cotangents).jaxpr
    return computed_of(body, [True] * len(body.invars))
