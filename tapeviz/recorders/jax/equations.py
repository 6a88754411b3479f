"""An equation and its inputs -> its outputs: as one op, or opened where it holds equations of its own.

Calls are opened, a scan and a loop round by round, of a conditional the branch that was taken. A function with a
derivative of its own is an op besides: no gradient passes through what is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import jax
from jax import lax
from jax.extend import core

from tapeviz.events.catalog import marked
from tapeviz.events.program.frames import is_library
from tapeviz.events.types import RecordingPaused, RecordingResumed
from tapeviz.recorders.jax.names import Name, name_of, name_of_call
from tapeviz.recorders.jax.operands import Closed, Operand, VjpNode
from tapeviz.recorders.jax.places import Place, transforms_of
from tapeviz.recorders.jax.reach import computed_of
from tapeviz.recorders.jax.values import NO_REFERENCES

if TYPE_CHECKING:
    from tapeviz.recorders.jax.forward import Forward

EquationRule: TypeAlias = Callable[["Forward", core.JaxprEqn, list[Operand], Place], list[Operand]]

MOST_STACKED = 64
"""How many results of a scan are joined at once: joining thousands takes XLA minutes to compile."""


def rule_for(equation: core.JaxprEqn) -> EquationRule:
    """How an equation is evaluated."""
    return _RULES.get(equation.primitive.name, _plain)


def _plain(forward: Forward, equation: core.JaxprEqn, inputs: list[Operand], place: Place) -> list[Operand]:
    name = name_of(equation.primitive.name, equation.params, inputs, [variable.aval for variable in equation.outvars])
    order = range(len(inputs)) if name.order is None else name.order
    return forward.apply(name, _bound(equation, order), [inputs[slot] for slot in order], place)


def _bound(equation: core.JaxprEqn, order: Sequence[int]) -> Callable[..., Sequence[Any]]:
    """An equation as a function of its inputs, which come in another order."""
    primitive: Any = equation.primitive

    def function(*values: Any) -> Sequence[Any]:
        operands = dict(zip(order, values, strict=True))
        params = primitive.get_bind_params(equation.params)
        functions, params = params if isinstance(params, tuple) else ((), params)  # apart until JAX 0.8
        with equation.ctx.manager:
            result = primitive.bind(*functions, *(operands[slot] for slot in range(len(values))), **params)
        return result if primitive.multiple_results else (result,)

    return function


# ----- calls -----


def _jit(forward: Forward, equation: core.JaxprEqn, inputs: list[Operand], place: Place) -> list[Operand]:
    """A user's function is opened. A library's is a single op if the catalog has it, or if no gradient passes through
    it: nobody looks for a gradient in how JAX draws random numbers."""
    called: Closed = equation.params["jaxpr"]
    if _is_library(called.jaxpr):
        own = called.jaxpr.debug_info.func_name.lstrip("_")
        name = _library_op(equation, called.jaxpr, inputs)
        if name is None and len(called.jaxpr.eqns) > 1 and not any(each.followed for each in inputs):
            name = Name(own)
        if name is not None:
            return forward.apply(name, _bound(equation, range(len(inputs))), inputs, place)
        place = place if place.pulled else forward.places.named(place, own)
    return forward.closed(called, inputs, place)


def _custom(forward: Forward, equation: core.JaxprEqn, inputs: list[Operand], place: Place) -> list[Operand]:
    """A function that defines its own derivative: one op, with the name of the function.

    A user's is also opened, ahead of its op: what it computes is seen, and no gradient passes there. Not one with an
    effect, such as `jax.debug.print`: it would come twice.
    """
    called: Closed = equation.params["call_jaxpr"]
    own = called.jaxpr.debug_info.func_name
    known = _library_op(equation, called.jaxpr, inputs)
    name = known or Name(own, marked(own))
    if not _is_library(called.jaxpr):
        if not any(each.followed for each in inputs):
            return forward.closed(called, inputs, place)
        if not equation.effects:
            with _paused(forward, place):
                forward.closed(called, _unfollowed(inputs), place)
    several = len(inputs) > 1 or len(equation.outvars) > 1
    sifted = several and known is None and equation.primitive.name == "custom_jvp_call"
    return forward.apply(name, _bound(equation, range(len(inputs))), inputs, place, sifted=sifted)


@contextmanager
def _paused(forward: Forward, place: Place) -> Iterator[None]:
    """No gradient passes through what is computed in the block."""
    forward.log.append(RecordingPaused, (forward.tape,), code=place.code, lasti=place.lasti)
    yield
    forward.log.append(RecordingResumed, (forward.tape,))


def _unfollowed(operands: Sequence[Operand]) -> list[Operand]:
    return [replace(each, followed=False, moves=False) for each in operands]


def _library_op(equation: core.JaxprEqn, body: core.Jaxpr, inputs: list[Operand]) -> Name | None:
    """The op that a function of JAX's own is."""
    if not _is_library(body):
        return None
    return name_of_call(body.debug_info.func_name, inputs, [variable.aval for variable in equation.outvars])


def _is_library(body: core.Jaxpr) -> bool:
    filename = body.debug_info.func_filename
    return filename is not None and is_library(filename)


def _remat(forward: Forward, equation: core.JaxprEqn, inputs: list[Operand], place: Place) -> list[Operand]:
    """What `jax.checkpoint` computes again on the way back is computed once here."""
    return forward.run(equation.params["jaxpr"], [], inputs, place)


def _call(forward: Forward, equation: core.JaxprEqn, inputs: list[Operand], place: Place) -> list[Operand]:
    return forward.closed(equation.params["call_jaxpr"], inputs, place)


# ----- control flow -----


def _flow(rule: EquationRule) -> EquationRule:
    """Control flow by `rule`: the user's line names its results, but nothing that is computed inside.

    With tangents it is another equation, made by JAX, with its results in another order: they get no names.
    """

    def named(forward: Forward, equation: core.JaxprEqn, inputs: list[Operand], place: Place) -> list[Operand]:
        results = rule(forward, equation, inputs, place._replace(names=False))
        if place.names and "jvp" not in transforms_of(equation):
            forward.name(inputs, results, place)
        return results

    return named


def _cond(forward: Forward, equation: core.JaxprEqn, inputs: list[Operand], place: Place) -> list[Operand]:
    branches: Sequence[Closed] = equation.params["branches"]
    taken = min(max(int(inputs[0].value), 0), len(branches) - 1)
    return forward.closed(branches[taken], inputs[1:], place)


def _scan(forward: Forward, equation: core.JaxprEqn, inputs: list[Operand], place: Place) -> list[Operand]:
    given = equation.params
    first, last = _ends_in_scan(given)
    constants, carry, arrays = inputs[:first], inputs[first:last], inputs[last:]
    names = (given["jaxpr"].jaxpr.debug_info.arg_names or ())[last:]  # none if JAX made the scan, as for a `jvp`
    head = forward.places.inside(given["jaxpr"].jaxpr, place)
    rounds = range(given["length"])
    collected: list[list[Operand]] = []
    for index in reversed(rounds) if given["reverse"] else rounds:
        element = [forward.apply(*_row(index), [each], head)[0] for each in arrays]
        for each, name in zip(element, names, strict=False):
            forward.call(each, name)
        outputs = forward.closed(given["jaxpr"], [*constants, *carry, *element], place)
        carry = outputs[: len(carry)]
        collected.append(outputs[len(carry) :])
    if given["reverse"]:
        collected.reverse()
    results = [variable.aval for variable in equation.outvars[len(carry) :]]
    columns = zip(*collected, strict=True) if collected else ([] for _ in results)
    stacked = [
        forward.apply(*_stack(aval), list(column), place)[0] for aval, column in zip(results, columns, strict=True)
    ]
    return [*carry, *stacked]


def _ends_in_scan(given: dict[str, Any]) -> tuple[int, int]:
    """How many operands of a scan come before its carry, and how many before the arrays it runs over."""
    if "ft_in" in given:  # since JAX 0.11: the constants, the carry and the arrays, each as what it is made of
        constants, carry, _ = map(len, given["ft_in"].unpack())
    else:
        constants, carry = given["num_consts"], given["num_carry"]
    return constants, constants + carry


def _row(index: int) -> tuple[Name, Callable[..., Sequence[Any]]]:
    """The element of an array that one round of a scan takes."""
    return Name("getitem", (("index", (index,)),)), lambda whole: (
        lax.dynamic_index_in_dim(whole, index, keepdims=False),
    )


def _stack(result: Any) -> tuple[Name, Callable[..., Sequence[Any]]]:
    """What the rounds of a scan gave, as the one array that `result` describes."""

    def joined(*rows: Any) -> Sequence[Any]:
        if not rows:
            return (jax.numpy.zeros(result.shape, result.dtype),)
        parts = [jax.numpy.stack(rows[at : at + MOST_STACKED]) for at in range(0, len(rows), MOST_STACKED)]
        while len(parts) > 1:
            parts = [jax.numpy.concatenate(parts[at : at + MOST_STACKED]) for at in range(0, len(parts), MOST_STACKED)]
        return (parts[0],)

    return Name("stack", (("axis", 0),)), joined


def _while(forward: Forward, equation: core.JaxprEqn, inputs: list[Operand], place: Place) -> list[Operand]:
    """A loop that goes on while something holds: JAX has no reverse pass for it, so it runs unrecorded."""
    if not forward.reverses:
        return _rounds(forward, equation, inputs, place)
    with _paused(forward, place):
        results = _rounds(forward, equation, _unfollowed(inputs), place)
    moving = _moving_results(equation, inputs)
    if any(moving):
        results = [replace(each, followed=moves, moves=moves) for each, moves in zip(results, moving, strict=True)]
        everywhere = (True,) * len(inputs)
        forward.nodes.append(VjpNode(tuple(inputs), tuple(results), everywhere, _no_reverse_pass))
    return results


def _moving_results(equation: core.JaxprEqn, inputs: list[Operand]) -> list[bool]:
    """Which results of a loop JAX would need a reverse pass for: those computed from what moves."""
    body: core.Jaxpr = equation.params["body_jaxpr"].jaxpr
    _, constants, carry = _parted(equation, inputs)
    fixed = [each.moves for each in constants]
    before: list[bool] = []
    after = [each.moves for each in carry]
    while before != after:
        before = after
        after = [one or other for one, other in zip(before, computed_of(body, [*fixed, *before]), strict=True)]
    return after


def _parted(equation: core.JaxprEqn, inputs: list[Operand]) -> tuple[list[Operand], list[Operand], list[Operand]]:
    """What a loop's test reads in each round, what its rounds read, and what goes from one round to the next."""
    first = equation.params["cond_nconsts"]
    last = first + equation.params["body_nconsts"]
    return inputs[:first], inputs[first:last], inputs[last:]


def _rounds(forward: Forward, equation: core.JaxprEqn, inputs: list[Operand], place: Place) -> list[Operand]:
    given = equation.params
    tests, body, carry = _parted(equation, inputs)
    test = place._replace(passes=False)
    while True:
        [goes_on] = forward.closed(given["cond_jaxpr"], [*tests, *carry], test)
        if not goes_on.value.any():
            return carry
        after = forward.closed(given["body_jaxpr"], [*body, *carry], place)
        if goes_on.shape:  # a loop under `vmap` runs for all, and what has ended stays as it was
            after = [forward.apply(*_WHERE, [goes_on, *each], place)[0] for each in zip(after, carry, strict=True)]
        carry = after


def _chosen(goes_on: Any, after: Any, before: Any) -> Sequence[Any]:
    goes_on = goes_on.reshape(*goes_on.shape, *(1,) * (after.ndim - goes_on.ndim))
    return (jax.numpy.where(goes_on, after, before),)


_WHERE = Name("where"), _chosen


def _no_reverse_pass(cotangents: tuple[Any, ...]) -> tuple[Any, ...]:
    raise ValueError(
        "JAX has no reverse pass for lax.while_loop, nor for lax.fori_loop with bounds that are not known when it is "
        "traced: it does not keep what the rounds computed. Use lax.scan, or lax.fori_loop with bounds that are Python "
        "numbers. `record_jax(..., argnums=())` records the forward pass alone."
    )


def _reference(forward: Forward, equation: core.JaxprEqn, inputs: list[Operand], place: Place) -> list[Operand]:
    raise TypeError(NO_REFERENCES)


_RULES: dict[str, EquationRule] = {
    "new_ref": _reference,
    "mutable_array": _reference,
    "empty_ref": _reference,
    "jit": _jit,
    "pjit": _jit,
    "closed_call": _call,
    "core_call": _call,
    "custom_jvp_call": _custom,
    "custom_vjp_call": _custom,
    "remat2": _remat,
    "checkpoint": _remat,
    "cond": _flow(_cond),
    "scan": _flow(_scan),
    "while": _flow(_while),
}
