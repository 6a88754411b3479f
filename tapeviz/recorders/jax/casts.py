"""An equation of one device -> its outputs, without what it holds that only says along which axes an array may differ.

In a mapped function JAX casts what all devices have alike before it meets what each has for itself. Where all of it is
computed at once, over stacked arrays, there is nothing to cast; and the cast's gradient, a sum over devices, would be
one too many.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import itemgetter
from typing import Any

import jax
from jax.extend import core

from tapeviz.recorders.jax.equation_function import evaluated
from tapeviz.recorders.jax.internals import axes_checked

CASTS = frozenset({"pvary", "pcast", "pbroadcast"})
"""What says no more than along which axes an array may differ."""
CALLS = {"jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr"} | dict.fromkeys(
    ("checkpoint", "remat", "remat2"), "jaxpr"
)
"""What calls a function -> the parameter that has its equations."""


def callee(equation: core.JaxprEqn) -> core.ClosedJaxpr:
    """The function that an equation calls, with its constants, which that of `jax.checkpoint` does not have."""
    function = equation.params[CALLS[equation.primitive.name]]
    return function if isinstance(function, core.ClosedJaxpr) else core.ClosedJaxpr(function, ())


def without_casts(equation: core.JaxprEqn, values: Sequence[Any]) -> Sequence[Any]:
    """The outputs of an equation for these inputs."""
    name, params = equation.primitive.name, equation.params
    if name in CASTS:
        return values
    if not _has_casts(_functions(equation)):
        return evaluated(equation, values)
    if name in CALLS:
        return _run(callee(equation), *values)
    if name == "custom_jvp_call":
        found: Sequence[Any] = _with_its_rule(equation)(*values)
        return found
    if name == "cond":
        index, *given = values
        branches = [partial(_run, each) for each in params["branches"]]
        return list(jax.lax.switch(index, branches, *given))
    return _scanned(equation, values) if name == "scan" else evaluated(equation, values)


def _functions(equation: core.JaxprEqn) -> list[core.ClosedJaxpr]:
    """The functions among the parameters of an equation, as of what it calls, its branches, and the body of a loop."""
    if equation.primitive.name in CALLS:
        return [callee(equation)]
    params = equation.params.values()
    found = [part for each in params for part in (each if isinstance(each, tuple) else (each,))]
    return [each for each in found if isinstance(each, core.ClosedJaxpr)]


def _has_casts(functions: Sequence[core.ClosedJaxpr]) -> bool:
    """Whether one of these casts, or one that it calls."""
    equations = (each for function in functions for each in function.jaxpr.eqns)
    return any(each.primitive.name in CASTS or _has_casts(_functions(each)) for each in equations)


def _run(function: core.ClosedJaxpr, *values: Any) -> list[Any]:
    """What a function gives, none of whose equations casts."""
    inputs = (*function.jaxpr.constvars, *function.jaxpr.invars)
    known: dict[Any, Any] = dict(zip(inputs, (*function.consts, *values), strict=True))

    def value(atom: Any) -> Any:
        return atom.val if isinstance(atom, core.Literal) else known[atom]

    for each in function.jaxpr.eqns:
        known.update(zip(each.outvars, without_casts(each, list(map(value, each.invars))), strict=True))
    return list(map(value, function.jaxpr.outvars))


def _scanned(equation: core.JaxprEqn, values: Sequence[Any]) -> Sequence[Any]:
    """A loop, none of whose rounds casts."""
    function, fixed, carried = itemgetter("jaxpr", "num_consts", "num_carry")(equation.params)
    options = {name: equation.params[name] for name in ("length", "reverse", "unroll")}

    def one_round(carry: list[Any], each: list[Any]) -> tuple[list[Any], list[Any]]:
        found = _run(function, *values[:fixed], *carry, *each)
        return found[:carried], found[carried:]

    first, each_round = list(values[fixed : fixed + carried]), list(values[fixed + carried :])
    carry, given = jax.lax.scan(one_round, first, each_round, **options)
    return [*carry, *given]


def _with_its_rule(equation: core.JaxprEqn) -> Any:
    """A function that has a derivative of its own, as `jax.nn.relu`; neither of them casts."""
    function, rule, constants = itemgetter("call_jaxpr", "jvp_jaxpr_fun", "num_consts")(equation.params)

    def derivative(values: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        changes = tangents[constants:]
        fixed = [each.dtype == jax.dtypes.float0 for each in changes]
        with equation.ctx.manager, axes_checked():  # as where it was called, which its rule is to fit
            jaxpr, given, zeros = rule.call_wrapped(*fixed)
        moving = [each for each, is_fixed in zip(changes, fixed, strict=True) if not is_fixed]
        found = _run(core.ClosedJaxpr(jaxpr, given), *values[constants:], *moving)
        outputs, left = found[: len(zeros)], iter(found[len(zeros) :])
        pairs = zip(outputs, zeros, strict=True)
        return outputs, [jax.numpy.zeros_like(each) if is_zero else next(left) for each, is_zero in pairs]

    plain = jax.custom_jvp(partial(_run, function))
    plain.defjvp(derivative)
    return plain
