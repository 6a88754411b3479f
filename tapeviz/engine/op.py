"""A row (primal and VJPs) -> an op: what it computes, and what its VJPs ask for; `calling/define` makes it callable.

    mul = defop("mul", np.multiply, x=lambda g, y: g * y, y=lambda g, x: g * x)

A VJP may ask for `g` (the upstream gradient), `out`, the op's arguments, their shapes (`x_shape` saves nothing else)
and its attributes, each by name. What the VJPs of the followed inputs ask for is what a tape saves. Called with
arrays only, an op is its primal: a first-order backward pass runs the rules on arrays, a recorded one on tensors.

If the primal computes an intermediate value that a VJP needs, `forward` returns it beside the output, as in
`jax.custom_vjp`, and a VJP may ask for it as `residual`. It is None where the rules run on tensors, which must be
recorded from the inputs on. A VJP may also ask for the cotangent of another argument, `y_cotangent`, so that both are
computed once; the VJP of that argument must not ask for a cotangent itself.

Rules are written for real numbers. TensorFlow's gradient is the conjugate of the derivative, so for a holomorphic
function with complex inputs it is `conj(rule(conj(g)))`, which the plan takes care of.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from tapeviz.engine.facts import Facts, Over, Public, Tangents
from tapeviz.engine.recording import Apart
from tapeviz.engine.rules.batching import aligned
from tapeviz.engine.rules.plan import Plan, plan_of
from tapeviz.engine.rules.rounding import rounded

Rule = Callable[..., Any]


class Op:
    """A primitive: its primal and one rule per differentiable argument.

    Attributes:
        arguments: the names of its tensor inputs, in order.
        attributes: the names of its keyword-only options.
        variadic: whether its one argument stands for any number of tensors; its rule returns a cotangent for each.
        discrete: whether its output may have a dtype without gradients.
        of_two_kinds: whether it has two operands, of which one has another dtype and no rule; it broadcasts neither.
        facts: what else is known of it.
        public: what its public function is made of, if it has one that only checks dtypes.
        call: the function that calls it, which is given it when it is defined.
        plans: how its VJPs run, for each combination of followed inputs so far.
    """

    __slots__ = (
        *("arguments", "attributes", "call", "cotangents", "discrete", "facts", "forward", "name", "of_two_kinds"),
        *("plans", "primal", "public", "rounded", "rules", "variadic"),
    )

    def __init__(
        self,
        name: str,
        primal: Callable[..., Any],
        rules: dict[str, Rule | None],
        facts: Facts,
        forward: Callable[..., tuple[Any, Any]] | None = None,
        public: Public | None = None,
    ) -> None:
        self.name = name
        self.primal = primal
        self.forward = forward
        self.rounded = primal if facts.recast else rounded(primal, at_once=facts.rounds_once)
        self.rules = rules
        self.public = public
        self.arguments = tuple(rules)
        self.cotangents = {f"{argument}_cotangent": argument for argument, rule in rules.items() if rule}
        self.attributes, self.variadic = _options(primal)
        self.discrete = facts.recast or not any(rules.values())
        self.of_two_kinds = len(rules) == 2 and any(rules.values()) and not all(rules.values())
        self.plans: dict[Any, Plan] = {}
        self._check()
        self.facts = self._completed(facts)
        self.call: Callable[..., Any]

    def __call__(self, *operands: object, **attributes: object) -> Any:
        return self.call(*operands, **attributes)

    def __repr__(self) -> str:
        return f"<op {self.name}({', '.join((*self.arguments, *self.attributes))})>"

    def rules_of(self, inputs: int) -> list[Rule | None]:
        """The rule of each of so many inputs."""
        rules = list(self.rules.values())
        return rules * inputs if self.variadic else rules

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

    def _completed(self, facts: Facts) -> Facts:
        """The facts that a row states, and those that are inferred where it states none."""
        over = facts.over or ("all" if self.attributes or self.variadic else "entries")
        tangents = facts.tangents or self._tangents(over)
        batched = facts.batched or (aligned if over != "all" else None)
        seed_shape = facts.seed_shape or ("broadcast" if over == "entries" else "exact")
        return replace(facts, over=over, tangents=tangents, batched=batched, seed_shape=seed_shape)

    def _tangents(self, over: Over) -> Tangents:
        """The quickest way to compute tangents: linear, if no rule asks for the result or an input with a rule."""
        ruled = [argument for argument, rule in self.rules.items() if rule]
        asked = {need for argument in ruled for need in self.needs(argument)}
        if ruled and asked.isdisjoint((*ruled, "out", "residual")):
            return "linear"
        return "elementwise" if ruled and over == "entries" else "transposed"

    def _may_share(self, argument: str) -> list[str]:
        """The cotangents that the VJP of an argument may ask for: those of arguments whose own VJPs ask for none."""
        others = {name: other for name, other in self.cotangents.items() if other != argument}
        return [name for name, other in others.items() if self.cotangents.keys().isdisjoint(self.needs(other))]

    def plan(self, followed: tuple[bool, ...], uneven: bool, apart: type[Apart] | None = None) -> Plan:
        """The plan for a combination of followed inputs.

        Args:
            followed: for each input, whether a tape follows it.
            uneven: whether an input may have been broadcast.
            apart: the class of the inputs' marks, if their dtype needs special VJPs.
        """
        return plan_of(self, followed, uneven, apart)


def _options(primal: Callable[..., Any]) -> tuple[tuple[str, ...], bool]:
    """The keyword-only options of a primal, and whether it takes any number of tensors."""
    if isinstance(primal, np.ufunc):
        return (), False
    parameters = inspect.signature(primal).parameters.values()
    options = tuple(each.name for each in parameters if each.kind is each.KEYWORD_ONLY)
    return options, any(each.kind is each.VAR_POSITIONAL for each in parameters)
