"""A jaxpr that has run in the program -> one that can run again for the log: nothing is printed or written twice."""

from __future__ import annotations

from typing import Any

from jax._src import core as traces
from jax.extend import core

from tapeviz.recorders.jax.equations import only_has_effects, opens
from tapeviz.recorders.jax.operands import Closed

EFFECTS = "of what a callback or another effect gives, which is not caused again for the recording"
"""Why a gradient call is not seen."""


def can_run_again(jaxpr: Any) -> bool:
    """Whether a jaxpr, evaluated equation by equation without those that only have effects, has none."""
    return all(
        not equation.effects
        or only_has_effects(equation)
        or (opens(equation) and all(map(can_run_again, traces.jaxprs_in_params(equation.params))))
        for equation in getattr(jaxpr, "jaxpr", jaxpr).eqns
    )


def without_effects(closed: Closed) -> core.ClosedJaxpr | None:
    """What computes the results of a jaxpr, without the equations that they do not need; None if it has effects."""
    needed = {each for each in closed.jaxpr.outvars if isinstance(each, core.Var)}
    kept: list[core.JaxprEqn] = []
    for equation in reversed(closed.jaxpr.eqns):
        if needed.isdisjoint(equation.outvars):
            continue
        if equation.effects:
            return None
        kept.append(equation)
        needed.update(each for each in equation.invars if isinstance(each, core.Var))
    jaxpr: Any = closed.jaxpr
    return core.ClosedJaxpr(jaxpr.replace(eqns=kept[::-1], effects=traces.no_effects), closed.consts)
