"""An op and which of its inputs are followed -> what the tape saves, and how its VJPs run on that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeviz.engine.nest import mapped
from tapeviz.engine.recording import Apart, Conjugated, Narrow
from tapeviz.engine.rules.arrays import on_arrays
from tapeviz.engine.rules.rounding import rounding
from tapeviz.engine.specs.dtypes import is_complex
from tapeviz.engine.table import OPS
from tapeviz.events import catalog
from tapeviz.events.program.frames import GENERATED

if TYPE_CHECKING:
    from tapeviz.engine.op import Op


def plan_of(op: Op, followed: tuple[bool, ...], uneven: bool, apart: type[Apart] | None = None) -> Plan:
    """What `Op.plan` returns, made at its first use."""
    key = (followed, uneven, apart)
    if key not in op.plans:
        plan = op.plans[key] = Plan(op, followed, uneven)
        if apart is Conjugated and op.facts.holomorphic:
            plan.pull = plan.pull_arrays = _conjugating(plan.pull)
        if apart is Narrow:
            plan.pull = plan.pull_arrays = rounding(plan.pull)
    return op.plans[key]


class Plan:
    """What one op saves and how its VJPs run, for one combination of followed inputs.

    Attributes:
        mask: for each input True if it gets a cotangent, else None.
        pulled: the indices of the inputs that get one.
        only: the index, if there is but one.
        saves: the indices of the inputs that are saved, and the number of inputs for the output (for the log).
        pick: `pick(out, attributes, *inputs)` is what is saved: a value, or a tuple of several or none.
        pull: `pull(g, saved)` is the cotangent of the `only` input, else a tuple of one, or None, for each.
        pull_arrays: `pull` for arrays alone, whose rules call the primals of ops, not the ops.
        lift: `lift(saved, entries, out, tensor)` is what was saved as tensors, made by `tensor(value, entry)`, for a
            backward pass that is recorded itself.
        passes_on: whether each input gets the upstream gradient itself.

    The functions are generated as source and compiled once, so that recording and the backward pass call nothing in
    between. These are `pick`, `pull` and `lift` of the op `sin`:

        lambda out, attributes, x: x
        x
        lambda saved, entries, out, tensor: tensor(saved, entries[0])

    `pick` and `pull` of `mul`, if both inputs are followed and have different shapes:

        lambda out, attributes, x, y: (y, x, tuple(x.shape), tuple(y.shape))
        lambda g, saved: (_c if (_c := x(g, saved[0])).shape == saved[2] else _sum_to(_c, shape=saved[2]), _c if ...)

    and `pull` of an op whose VJP of x asks for `y_cotangent`:

        lambda g, saved: (x(g, (y_cotangent := y(g, saved))), y_cotangent)
    """

    __slots__ = (
        *("_followed", "_names", "_uneven", "facts", "lift", "mask", "name", "only", "op", "passes_on", "pick", "pull"),
        *("pull_arrays", "pulled", "saves", "stretched"),
    )

    def __init__(self, op: Op, followed: tuple[bool, ...], uneven: bool) -> None:
        self.op = op
        self.name = op.name
        self.facts = op.facts
        self._followed = followed
        self._uneven = uneven
        self.stretched: Plan | None = None
        self.mask: tuple[bool | None, ...] = tuple(
            True if on and rule else None for on, rule in zip(followed, op.rules_of(len(followed)), strict=True)
        )
        self.pulled = tuple([index for index, on in enumerate(self.mask) if on])
        self.only = self.pulled[0] if len(self.pulled) == 1 and not op.variadic else None
        pulled = [argument for argument, on in zip(op.arguments, self.mask, strict=False) if on]
        if op.variadic and any(self.mask):
            pulled = list(op.arguments)
        self.passes_on = not uneven and all(_passes_on(op.rules[argument]) for argument in pulled)
        shapes = [f"{argument}_shape" for argument in pulled] if uneven else []
        self._names = list(dict.fromkeys([need for argument in pulled for need in self._needs(argument)] + shapes))
        self.saves = self._saves(len(followed))
        parameters = "*inputs" if op.variadic else ", ".join(op.arguments)
        self.pick = _compiled(f"lambda out, attributes, {parameters}: {self.picked()}", {})
        self.pull = self._pull(op.rules, OPS["sum_to"])
        self.pull_arrays: Callable[[Any, Any], Any] = self._pull_arrays_first
        row = catalog.ROWS.get(op.name)
        if row is not None and row.unregistered and any(followed):
            self.pull = self.pull_arrays = _refusing(catalog.TENSORFLOW[op.name][0].partition(" ")[0])
        lifted = _packed([self._lifts(name) for name in self._names])
        self.lift = _compiled(f"lambda saved, entries, out, tensor: {lifted}", {})

    def picked(self, expressions: Mapping[str, str] | None = None) -> str:
        """The expression of what is saved; `expressions` stand in it for arguments and the residual, by their names."""
        return _packed([_source(self.op, name, expressions or {}) for name in self._names])

    def uneven(self) -> Plan:
        """The plan for the same followed inputs, one of which may have been broadcast."""
        self.stretched = self.op.plan(self._followed, True)
        return self.stretched

    def hands_on_as_is(self, entries: tuple[Any, ...]) -> bool:
        """Whether the gradient of an op with these inputs is the upstream gradient, up to its sign or dtype."""
        return self.facts.seed_shape == "handed on" and self.only == 0 and all(map(is_number, entries[1:]))

    def cotangents(self, g: object, saved: object) -> tuple[Any, ...]:
        """One cotangent, or None, per input."""
        pulled = self.pull(g, saved)
        return pulled if self.only is None else tuple([pulled if on else None for on in self.mask])

    def _pull_arrays_first(self, g: object, saved: object) -> Any:
        """`pull_arrays` before it is first called: only then is the op table complete."""
        rules = {argument: on_arrays(rule) for argument, rule in self.op.rules.items()}
        self.pull_arrays = self._pull(rules, OPS["sum_to"].primal)
        return self.pull_arrays(g, saved)

    def _pull(self, rules: Mapping[str, Any], sum_to: object) -> Callable[[Any, Any], Any]:
        """The function `pull`, made of these rules; `sum_to` undoes the broadcasting of an input."""
        if self.only is not None and not self._uneven:
            argument = self.op.arguments[self.only]
            rule, needs = rules[argument], self.op.needs(argument)
            if (len(needs) == 1 and list(needs) == self._names) or _passes_on(rule):
                return rule if self._names else _passed_on
        return _compiled(f"lambda g, saved: {self._pulls()}", {**rules, "_sum_to": sum_to, "_mask": self.mask})

    def _needs(self, argument: str) -> list[str]:
        """What has to be saved for the VJP of an argument, and for the cotangent of another one that it asks for."""
        op = self.op
        whose = op.cotangents
        return [each for need in op.needs(argument) for each in (op.needs(whose[need]) if need in whose else (need,))]

    def _saves(self, inputs: int) -> tuple[int, ...]:
        if self.op.variadic:
            return tuple(range(inputs)) if self.op.arguments[0] in self._names else ()
        slots = {name: index for index, name in enumerate(self.op.arguments)} | {"out": inputs}
        return tuple(slots[name] for name in self._names if name in slots)

    def _slot(self, name: str) -> str:
        """The expression of one saved value."""
        return "saved" if len(self._names) == 1 else f"saved[{self._names.index(name)}]"

    def _pulls(self) -> str:
        """The expression of the cotangents."""
        op = self.op
        pulled = [argument for argument, on in zip(op.arguments, self.mask, strict=False) if on]
        shared = {need for argument in pulled for need in op.needs(argument) if op.cotangents.get(need) in pulled}
        made: set[str] = set()

        def given(need: str) -> str:
            return cotangent(op.cotangents[need]) if need in op.cotangents else self._slot(need)

        def cotangent(argument: str) -> str:
            if _passes_on(op.rules[argument]):
                return "g"
            name, call = f"{argument}_cotangent", f"{argument}({', '.join(['g', *map(given, op.needs(argument))])})"
            if name not in shared:
                return call
            if name in made:
                return name
            made.add(name)
            return f"({name} := {call})"

        def called(argument: str) -> str:
            call = cotangent(argument)
            if not self._uneven:
                return call
            shape = self._slot(f"{argument}_shape")
            first, again = ("g", "g") if call == "g" else (f"(_c := {call})", "_c")
            return f"({again} if {first}.shape == {shape} else _sum_to({again}, shape={shape}))"

        if self.only is not None:
            return called(op.arguments[self.only])
        if op.variadic:
            each = called(op.arguments[0]) if any(self.mask) else "_mask"
            return f"tuple([c if on else None for c, on in zip({each}, _mask)])"
        pulls = [called(argument) if on else "None" for argument, on in zip(op.arguments, self.mask, strict=True)]
        return f"({', '.join(pulls)},)"

    def _lifts(self, name: str) -> str:
        """The expression of one saved value as a tensor, or tensors; shapes and attributes stay what they are."""
        op, slot = self.op, self._slot(name)
        if name == "out":
            return f"tuple(map(tensor, {slot}, out)) if type(out) is tuple else tensor({slot}, out)"
        if name == "residual":
            return "None"  # it has to be computed again from tensors, for tapes to follow
        if name not in op.arguments:
            return slot
        if op.variadic:
            return f"tuple(map(tensor, {slot}, entries))"
        return f"tensor({slot}, entries[{op.arguments.index(name)}])"


def is_number(entry: Any) -> bool:
    """Whether the entry of an input is a single number; that of a tensor is its id, an int."""
    return type(entry) is not int and not np.ndim(entry)


def _passes_on(rule: object) -> bool:
    """Whether a rule is `lambda g: g`."""
    code = getattr(rule, "__code__", None)
    return code is not None and code.co_argcount == 1 and code.co_code == _first_of_one.__code__.co_code


def _first_of_one(g: object) -> Any:
    return g


def _passed_on(g: object, saved: object) -> Any:
    return g


def _refusing(name: str) -> Callable[[Any, Any], Any]:
    """The `pull` of an op for which TensorFlow has no gradient: it raises the error."""

    def pull(g: object, saved: object) -> Any:
        raise LookupError(
            f"gradient registry has no entry for: {name}. TensorFlow knows no derivative of this op, not even that it "
            "has none. If nothing is to flow back through it, call it on tf.stop_gradient(x)."
        )

    return pull


def _conjugating(pull: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The VJP for complex numbers, from that for real ones: conj(VJP(conj(g)))."""
    return lambda g, saved: mapped(_conjugate, pull(mapped(_conjugate, g), saved))


def _conjugate(value: object) -> Any:
    """The conjugate of a cotangent; real ones, and None, stay as they are."""
    return value if value is None or not is_complex(value) else OPS["conj"](value)


def _packed(values: list[str]) -> str:
    """A value, or the tuple of several or none."""
    return values[0] if len(values) == 1 else f"({', '.join(values)})"


def _compiled(source: str, names: dict[str, Any]) -> Callable[..., Any]:
    """A function of source text."""
    function: Callable[..., Any] = eval(compile(source, GENERATED, "eval"), names)
    return function


def _source(op: Op, name: str, expressions: Mapping[str, str]) -> str:
    """The expression of what a rule asks for, in terms of the op's inputs, output and attributes."""
    if name == "out":
        return "out"
    if name == "residual":
        return expressions.get(name, "None")
    if name in op.attributes:
        return f"attributes[{name!r}]"
    shape = name.endswith("_shape")
    if op.variadic:
        return "tuple([tuple(each.shape) for each in inputs])" if shape else "tuple(inputs)"
    argument = name.removesuffix("_shape") if shape else name
    value = expressions.get(argument, argument)
    return f"tuple({value}.shape)" if shape else value
