"""An equation and its inputs -> its outputs: as one op, or opened where it holds equations of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jax.extend import core

from tapeviz.recorders.jax import calls, control_flow, shard_map
from tapeviz.recorders.jax.equation_function import EquationFunction
from tapeviz.recorders.jax.names import form_of
from tapeviz.recorders.jax.operands import Operand
from tapeviz.recorders.jax.places import Place
from tapeviz.recorders.jax.rules import EquationRule
from tapeviz.recorders.jax.values import NO_REFERENCES

if TYPE_CHECKING:
    from tapeviz.recorders.jax.forward import Forward


def rule_for(equation: core.JaxprEqn) -> EquationRule:
    """How an equation is evaluated: as one op, if there is no rule of its own for its primitive."""
    return _RULES.get(equation.primitive.name, _op)


def only_has_effects(equation: core.JaxprEqn) -> bool:
    """Whether an equation does something, as `jax.debug.print` does, and computes nothing."""
    return bool(equation.effects) and not equation.outvars


def opens(equation: core.JaxprEqn) -> bool:
    """Whether the equations that one holds are evaluated in its place."""
    return rule_for(equation) in _OPENING


def _op(forward: Forward, equation: core.JaxprEqn, inputs: list[Operand], place: Place) -> list[Operand]:
    form = form_of(equation.primitive.name, equation.params, inputs, [variable.aval for variable in equation.outvars])
    arguments = inputs if form.order is None else [inputs[slot] for slot in form.order]
    return forward.apply(form, EquationFunction(equation, form.order), arguments, place)


def _reference(forward: Forward, equation: core.JaxprEqn, inputs: list[Operand], place: Place) -> list[Operand]:
    raise TypeError(NO_REFERENCES)


_RULES: dict[str, EquationRule] = {
    "new_ref": _reference,
    "mutable_array": _reference,
    "empty_ref": _reference,
    "jit": calls.jit,
    "pjit": calls.jit,
    "closed_call": calls.call,
    "core_call": calls.call,
    "custom_jvp_call": calls.custom,
    "custom_vjp_call": calls.custom,
    "remat2": calls.remat,
    "checkpoint": calls.remat,
    "cond": control_flow.cond,
    "scan": control_flow.scan,
    "while": control_flow.while_loop,
    "shard_map": shard_map.rule(_op),
}
"""By the name of the primitive."""

_OPENING = (calls.jit, calls.call, calls.remat, control_flow.cond, control_flow.scan, control_flow.while_loop)
