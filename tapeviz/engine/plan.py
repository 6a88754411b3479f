"""An op and which of its inputs are followed -> what the tape saves, and how its VJPs run on that."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tapeviz.engine.op import Op


class Plan:
    """What one op saves and how its VJPs run, for one combination of followed inputs.

    `mask` says which inputs get a cotangent, `pulled` lists them; `saves` indexes the op's inputs and outputs (for the
    log). The functions are written down as source and compiled once, so that recording and the backward pass call
    nothing in between: `pick(out, attributes, *inputs)` gives the saved tuple, `pull(g, saved)` one cotangent, or None,
    per input, and `lift(saved, entries, out, tensor)` makes tensors of what was saved by `tensor(value, entry)`, for a
    backward pass that is recorded itself. Of the op `sin`, and of `mul` with both inputs followed and of uneven shapes:

        lambda out, attributes, x: (x,)
        lambda g, saved: (x(g, saved[0]),)
        lambda saved, entries, out, tensor: (tensor(saved[0], entries[0]),)

        lambda out, attributes, x, y: (y, x, tuple(x.shape), tuple(y.shape))
        lambda g, saved: (_undo(x(g, saved[0]), saved[2]), _undo(y(g, saved[1]), saved[3]))
    """

    __slots__ = ("lift", "mask", "name", "op", "pick", "pull", "pulled", "saves")

    def __init__(self, op: Op, followed: tuple[bool, ...], uneven: bool, undo: Callable[[Any, Any], Any]) -> None:
        self.op = op
        self.name = op.name
        by_input = [op.rules[op.arguments[0]]] * len(followed) if op.variadic else list(op.rules.values())
        self.mask: tuple[bool | None, ...] = tuple(
            True if on and rule else None for on, rule in zip(followed, by_input, strict=True)
        )
        self.pulled = tuple([index for index, on in enumerate(self.mask) if on])
        pulled = [argument for argument, on in zip(op.arguments, self.mask, strict=False) if on]
        if op.variadic and any(self.mask):
            pulled = list(op.arguments)
        shapes = [f"{argument}_shape" for argument in pulled] if uneven else []
        names = list(dict.fromkeys([need for argument in pulled for need in op.needs(argument)] + shapes))
        self.saves = self._saves(names, len(followed))
        parameters = "*inputs" if op.variadic else ", ".join(op.arguments)
        picked = "".join(f"{_source(op, name)}, " for name in names)
        self.pick = _compiled(f"lambda out, attributes, {parameters}: ({picked})", {})
        rules = {**op.rules, "_undo": undo, "_mask": self.mask}
        self.pull = _compiled(f"lambda g, saved: {self._pulls(names, uneven)}", rules)
        lifted = "".join(f"{self._lifts(slot, name)}, " for slot, name in enumerate(names))
        self.lift = _compiled(f"lambda saved, entries, out, tensor: ({lifted})", {})

    def _saves(self, names: list[str], inputs: int) -> tuple[int, ...]:
        if self.op.variadic:
            return tuple(range(inputs)) if self.op.arguments[0] in names else ()
        slots = {name: index for index, name in enumerate(self.op.arguments)} | {"out": inputs}
        return tuple(slots[name] for name in names if name in slots)

    def _pulls(self, names: list[str], uneven: bool) -> str:
        """The source of the tuple of cotangents."""
        op = self.op

        def called(argument: str) -> str:
            call = f"{argument}({', '.join(['g', *(f'saved[{names.index(need)}]' for need in op.needs(argument))])})"
            return f"_undo({call}, saved[{names.index(f'{argument}_shape')}])" if uneven else call

        if op.variadic:
            each = called(op.arguments[0]) if any(self.mask) else "_mask"
            return f"tuple([c if on else None for c, on in zip({each}, _mask)])"
        pairs = zip(op.arguments, self.mask, strict=True)
        return f"({''.join((called(argument) if on else 'None') + ', ' for argument, on in pairs)})"

    def _lifts(self, slot: int, name: str) -> str:
        """The expression that makes a tensor, or tensors, of one saved value; shapes and attributes stay."""
        op = self.op
        if name == "out":
            return f"tuple(map(tensor, saved[{slot}], out)) if type(out) is tuple else tensor(saved[{slot}], out)"
        if name not in op.arguments:
            return f"saved[{slot}]"
        if op.variadic:
            return f"tuple(map(tensor, saved[{slot}], entries))"
        return f"tensor(saved[{slot}], entries[{op.arguments.index(name)}])"


def _compiled(source: str, names: dict[str, Any]) -> Callable[..., tuple[Any, ...]]:
    """A function of source text, which counts as this file's: what a rule calls, the user's line has called."""
    function: Callable[..., tuple[Any, ...]] = eval(compile(source, __file__, "eval"), names)
    return function


def _source(op: Op, name: str) -> str:
    """The expression that takes what a rule asks for out of an op's inputs, output and attributes."""
    if name == "out":
        return "out"
    if name in op.attributes:
        return f"attributes[{name!r}]"
    shape = name.endswith("_shape")
    if op.variadic:
        return "tuple([tuple(each.shape) for each in inputs])" if shape else "tuple(inputs)"
    return f"tuple({name.removesuffix('_shape')}.shape)" if shape else name
