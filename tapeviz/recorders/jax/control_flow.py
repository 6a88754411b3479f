"""An equation of control flow -> its outputs: of a conditional the branch that was taken, a loop round by round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import jax
from jax import lax
from jax.extend import core

from tapeviz.events.catalog import BRANCH
from tapeviz.events.types import Attrs
from tapeviz.recorders.jax.names import Form
from tapeviz.recorders.jax.operands import Closed, LoggedOp, Operand, unfollowed
from tapeviz.recorders.jax.places import Place, transforms_of
from tapeviz.recorders.jax.reach import computed_of, read_by
from tapeviz.recorders.jax.rules import EquationRule

if TYPE_CHECKING:
    from tapeviz.recorders.jax.forward import Forward

MOST_STACKED = 64
"""How many results of a scan are joined at once: joining thousands takes XLA minutes to compile."""


def _control_flow(rule: EquationRule) -> EquationRule:
    """A rule for control flow. The user's line names its results, but nothing that is computed inside of it.

    In an equation that JAX has made for tangents, the results are in another order, so they get no names.
    """

    def named(forward: Forward, equation: core.JaxprEqn, inputs: list[Operand], place: Place) -> list[Operand]:
        results = rule(forward, equation, inputs, place._replace(names_result=False))
        if place.names_result and "jvp" not in transforms_of(equation):
            forward.name_by_line(inputs, results, place)
        return results

    return named


@_control_flow
def cond(forward: Forward, equation: core.JaxprEqn, inputs: list[Operand], place: Place) -> list[Operand]:
    branches: Sequence[Closed] = equation.params["branches"]
    taken = min(max(int(inputs[0].value), 0), len(branches) - 1)
    operands = inputs[1:]
    results = forward.closed(branches[taken], operands, place)
    read = [read_by(each.jaxpr) for each in branches]
    named = ((BRANCH, branches[taken].jaxpr.debug_info.func_name),)
    for slot, own in enumerate(read[taken]):
        by_others = set().union(*(each[slot] for each in read)) - own
        unread = [operands[index] for index in sorted(by_others) if operands[index].perturbed]
        if unread:
            [results[slot]] = forward.apply(*_branch(named), [results[slot], *unread], place, may_give_zeros=True)
    return results


def _branch(attrs: Attrs) -> tuple[Form, Callable[..., Sequence[Any]]]:
    """The op that gives what the branch taken gave, and is given besides what only another branch would read."""
    return Form("cond", attrs), lambda result, *unread: (result,)


@_control_flow
def scan(forward: Forward, equation: core.JaxprEqn, inputs: list[Operand], place: Place) -> list[Operand]:
    operands = equation.params
    first, last = _ends_in_scan(operands)
    constants, carry, arrays = inputs[:first], inputs[first:last], inputs[last:]
    names = (operands["jaxpr"].jaxpr.debug_info.arg_names or ())[last:]  # none if JAX made the scan, as for a `jvp`
    head = forward.places.inside(operands["jaxpr"].jaxpr, place)
    rounds = range(operands["length"])
    collected: list[list[Operand]] = []
    for index in reversed(rounds) if operands["reverse"] else rounds:
        element = [forward.apply(*_row(index), [each], head)[0] for each in arrays]
        for each, name in zip(element, names, strict=False):
            forward.give_name(each, name)
        outputs = forward.closed(operands["jaxpr"], [*constants, *carry, *element], place)
        carry = outputs[: len(carry)]
        collected.append(outputs[len(carry) :])
    if operands["reverse"]:
        collected.reverse()
    results = [variable.aval for variable in equation.outvars[len(carry) :]]
    columns = zip(*collected, strict=True) if collected else ([] for _ in results)
    stacked = [
        forward.apply(*_stack(aval), list(column), place)[0] for aval, column in zip(results, columns, strict=True)
    ]
    return [*carry, *stacked]


def _ends_in_scan(operands: dict[str, Any]) -> tuple[int, int]:
    """How many operands of a scan come before its carry, and how many before the arrays it runs over."""
    if "ft_in" in operands:  # since JAX 0.11: the constants, the carry and the arrays, each as what it is made of
        constants, carry, _ = map(len, operands["ft_in"].unpack())
    else:
        constants, carry = operands["num_consts"], operands["num_carry"]
    return constants, constants + carry


def _row(index: int) -> tuple[Form, Callable[..., Sequence[Any]]]:
    """The op that takes the element of an array for one round of a scan, and its function."""
    return Form("getitem", (("index", (index,)),)), lambda whole: (
        lax.dynamic_index_in_dim(whole, index, keepdims=False),
    )


def _stack(result: Any) -> tuple[Form, Callable[..., Sequence[Any]]]:
    """The op that stacks the results of all rounds of a scan to an array like `result`, and its function."""

    def joined(*rows: Any) -> Sequence[Any]:
        if not rows:
            return (jax.numpy.zeros(result.shape, result.dtype),)
        parts = [jax.numpy.stack(rows[at : at + MOST_STACKED]) for at in range(0, len(rows), MOST_STACKED)]
        while len(parts) > 1:
            parts = [jax.numpy.concatenate(parts[at : at + MOST_STACKED]) for at in range(0, len(parts), MOST_STACKED)]
        return (parts[0],)

    return Form("stack", (("axis", 0),)), joined


@_control_flow
def while_loop(forward: Forward, equation: core.JaxprEqn, inputs: list[Operand], place: Place) -> list[Operand]:
    """A `while` loop, for which JAX has no reverse pass: its ops are logged as not recorded by the tape."""
    if not forward.reverses:
        return _rounds(forward, equation, inputs, place)
    with forward.paused(place):
        results = _rounds(forward, equation, unfollowed(inputs), place)
    perturbed = _perturbed_results(equation, inputs)
    if any(perturbed):
        results = [
            replace(each, followed=is_so, perturbed=is_so) for each, is_so in zip(results, perturbed, strict=True)
        ]
        everywhere = (True,) * len(inputs)
        forward.logged.append(LoggedOp(tuple(inputs), tuple(results), everywhere, _no_reverse_pass))
    return results


def _perturbed_results(equation: core.JaxprEqn, inputs: list[Operand]) -> list[bool]:
    """For each result of a loop, whether it is computed from perturbed inputs, so that JAX needs a reverse pass."""
    body: core.Jaxpr = equation.params["body_jaxpr"].jaxpr
    _, constants, carry = _parted(equation, inputs)
    fixed = [each.perturbed for each in constants]
    before: list[bool] = []
    after = [each.perturbed for each in carry]
    while before != after:
        before = after
        after = [one or other for one, other in zip(before, computed_of(body, [*fixed, *before]), strict=True)]
    return after


def _parted(equation: core.JaxprEqn, inputs: list[Operand]) -> tuple[list[Operand], list[Operand], list[Operand]]:
    """The inputs of a loop: the constants of its condition, those of its body, and the initial carry."""
    first = equation.params["cond_nconsts"]
    last = first + equation.params["body_nconsts"]
    return inputs[:first], inputs[first:last], inputs[last:]


def _rounds(forward: Forward, equation: core.JaxprEqn, inputs: list[Operand], place: Place) -> list[Operand]:
    operands = equation.params
    tests, body, carry = _parted(equation, inputs)
    test = place._replace(names_returned=False)
    while True:
        [goes_on] = forward.closed(operands["cond_jaxpr"], [*tests, *carry], test)
        if not goes_on.value.any():
            return carry
        after = forward.closed(operands["body_jaxpr"], [*body, *carry], place)
        if goes_on.shape:  # a loop under `vmap` runs for all, and what has ended stays as it was
            after = [forward.apply(*_WHERE, [goes_on, *each], place)[0] for each in zip(after, carry, strict=True)]
        carry = after


def _chosen(goes_on: Any, after: Any, before: Any) -> Sequence[Any]:
    goes_on = goes_on.reshape(*goes_on.shape, *(1,) * (after.ndim - goes_on.ndim))
    return (jax.numpy.where(goes_on, after, before),)


_WHERE = Form("where"), _chosen


class NoReversePassError(ValueError):
    """A gradient came to a loop through which JAX has no way back."""


def _no_reverse_pass(cotangents: tuple[Any, ...]) -> tuple[Any, ...]:
    raise NoReversePassError(
        "JAX has no reverse pass for lax.while_loop, nor for lax.fori_loop with bounds that are not known when it is "
        "traced: it does not keep what the rounds computed. Use lax.scan, or lax.fori_loop with bounds that are Python "
        "numbers. `record_jax(..., argnums=())` records the forward pass alone."
    )
