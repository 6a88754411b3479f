"""A row (primal and VJPs) -> an op that computes, is logged, and saves what its VJPs ask for.

    mul = defop("mul", np.multiply, x=lambda g, y: g * y, y=lambda g, x: g * x)

A VJP may ask for `g` (the upstream gradient), `out`, the op's arguments, their shapes (`x_shape` saves nothing else)
and its attributes, each by name. What the VJPs of the followed inputs ask for is what a tape saves. Called with plain
arrays only, an op is its primal: a first-order backward pass runs the rules on arrays, a recorded one on tensors.

Where the way to an output leads past what a VJP needs, `forward` gives both, as in `jax.custom_vjp`: a VJP may ask for
that `residual` too. It is None wherever it would have to be computed anew, as for tensors. A VJP may ask for what that
of another argument gives, `y_cotangent`, if that asks for no such thing: it is then computed once for both.

No rule thinks of complex numbers. TensorFlow's gradient is the conjugate of the derivative, so of a holomorphic
function with complex inputs it is `conj(rule(conj(g)))`, which the plan sees to.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.engine.call import caller
from tapeviz.engine.dtypes import is_complex
from tapeviz.engine.plan import Plan
from tapeviz.engine.recording import Apart, Conjugated, Narrow
from tapeviz.engine.rounding import AT_ONCE, rounded, rounding
from tapeviz.engine.table import OPS

Rule = Callable[..., Any]


class Op:
    """A primitive: its primal and one rule per differentiable argument.

    `arguments` names its tensor inputs in order; `attributes` its keyword-only options; `variadic` says that the one
    argument stands for any number of tensors, whose rule returns one cotangent for each. A `discrete` op has an
    output whose dtype may not carry gradients. An op that is not `holomorphic` has a rule that is right for complex
    inputs as it stands. One `of_matrices` stretches its operands only along axes before their last two, one
    `of_two_kinds`, of which one operand is of another dtype and has no rule, not at all. An op without rules that is
    `unregistered` has TensorFlow's name for what it finds no gradient of: to ask for one is an error.
    """

    __slots__ = (
        *("arguments", "attributes", "call", "cotangents", "discrete", "forward", "holomorphic", "name", "of_matrices"),
        *("of_two_kinds", "plans", "primal", "recast", "rounded", "rules", "unregistered"),
        "variadic",
    )

    def __init__(
        self,
        name: str,
        primal: Callable[..., Any],
        rules: dict[str, Rule | None],
        recast: bool = False,
        holomorphic: bool = True,
        of_matrices: bool = False,
        forward: Callable[..., tuple[Any, Any]] | None = None,
        unregistered: str = "",
    ) -> None:
        self.name = name
        self.unregistered = unregistered
        self.primal = primal
        self.forward = forward
        self.rounded = primal if recast else rounded(primal, at_once=name in AT_ONCE)
        self.rules = rules
        self.arguments = tuple(rules)
        self.cotangents = {f"{argument}_cotangent": argument for argument, rule in rules.items() if rule}
        self.attributes, self.variadic = _options(primal)
        self.recast = recast
        self.discrete = recast or not any(rules.values())
        self.holomorphic = holomorphic
        self.of_matrices = of_matrices
        self.of_two_kinds = len(rules) == 2 and any(rules.values()) and not all(rules.values())
        self.plans: dict[Any, Plan] = {}
        self._check()
        self.call = caller(self)
        self.call.__name__ = self.call.__qualname__ = name
        self.call.primal = primal  # type: ignore[attr-defined]

    def __call__(self, *operands: Any, **attributes: Any) -> Any:
        return self.call(*operands, **attributes)

    def __repr__(self) -> str:
        return f"<op {self.name}({', '.join((*self.arguments, *self.attributes))})>"

    def needs(self, argument: str) -> tuple[str, ...]:
        """What the VJP of an argument asks for besides `g`."""
        rule = self.rules[argument]
        return tuple(inspect.signature(rule).parameters)[1:] if rule else ()

    def _check(self) -> None:
        shapes = tuple(f"{argument}_shape" for argument in self.arguments)
        known = ("g", "out", *self.arguments, *shapes, *self.attributes, *(("residual",) if self.forward else ()))
        for argument, rule in self.rules.items():
            asked = tuple(inspect.signature(rule).parameters) if rule else ("g",)
            unknown = [name for name in asked if name not in known and name not in self._may_share(argument)]
            if unknown or asked[:1] != ("g",):
                others = ", ".join((*known[1:], *self._may_share(argument)))
                raise TypeError(
                    f"defop {self.name!r}: the VJP of {argument!r} asks for {unknown or list(asked)}; "
                    f"its first parameter is g, then it may ask for {others}."
                )

    def _may_share(self, argument: str) -> list[str]:
        """The cotangents that the VJP of an argument may ask for: other arguments', whose VJPs ask for none."""
        others = {name: other for name, other in self.cotangents.items() if other != argument}
        return [name for name, other in others.items() if self.cotangents.keys().isdisjoint(self.needs(other))]

    def plan(self, followed: tuple[bool, ...], uneven: bool, apart: type[Apart] | None = None) -> Plan:
        """The plan for this combination of followed inputs, made once; `apart` if those are of a dtype with needs."""
        key = (followed, uneven, apart)
        if key not in self.plans:
            plan = self.plans[key] = Plan(self, followed, uneven, sum_to, sum_to_on_arrays)
            if apart is Conjugated and self.holomorphic:
                plan.pull = plan.pull_arrays = conjugating(plan.pull)
            if apart is Narrow:
                plan.pull = plan.pull_arrays = rounding(plan.pull)
        return self.plans[key]


def defop(
    name: str,
    primal: Callable[..., Any],
    *,
    recast: bool = False,
    holomorphic: bool = True,
    of_matrices: bool = False,
    forward: Callable[..., tuple[Any, Any]] | None = None,
    unregistered: str = "",
    **rules: Rule | None,
) -> Callable[..., Any]:
    """Define an op: its primal on arrays, and for each tensor argument, in order, its VJP or None.

    What is returned is the function that calls the op, of the same `__name__`; the op itself is in `OPS`.
    `recast` marks an op whose output may be of another dtype than its input, as `cast`, or several; one that is not
    `holomorphic` has rules that are right for complex numbers as they stand; `of_matrices` says that operands are
    broadcast only along the axes before their last two. `forward` gives what `primal` does, and the residual.
    `unregistered` is what TensorFlow calls an op that it knows no gradient of, not even that there is none.

    Raises:
        TypeError: a rule asks for something the op has not.
        ValueError: the name is taken.
    """
    if name in OPS:
        raise ValueError(f"There is an op {name!r} already.")
    OPS[name] = Op(name, primal, rules, recast, holomorphic, of_matrices, forward, unregistered)
    return OPS[name].call


def _options(primal: Callable[..., Any]) -> tuple[tuple[str, ...], bool]:
    """The keyword-only options of a primal, and whether it takes any number of tensors."""
    if isinstance(primal, np.ufunc):
        return (), False
    parameters = inspect.signature(primal).parameters.values()
    options = tuple(each.name for each in parameters if each.kind is each.KEYWORD_ONLY)
    return options, any(each.kind is each.VAR_POSITIONAL for each in parameters)


def sum_to(value: Any, shape: tuple[int, ...]) -> Any:
    """Undo broadcasting: the sum of a cotangent over the axes that its input was stretched along."""
    if tuple(value.shape) == tuple(shape):
        return value
    return OPS["sum_to"](value, shape=tuple(shape))


def sum_to_on_arrays(value: Any, shape: tuple[int, ...]) -> Any:
    """The same of an array."""
    return value if value.shape == shape else OPS["sum_to"].primal(value, shape=shape)


def conjugating(pull: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The VJP of complex numbers, from what the rules of real ones make of them."""
    return lambda g, saved: _conjugate(pull(_conjugate(g), saved))


def _conjugate(value: Any) -> Any:
    """Of cotangents, however many: real ones, and None, stay as they are."""
    if type(value) is tuple:
        return tuple([_conjugate(each) for each in value])
    return value if value is None or not is_complex(value) else OPS["conj"](value)
