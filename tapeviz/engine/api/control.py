"""Control flow, as Python runs it, and contexts, under TensorFlow's names."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.api.arguments import int_of, tensor_of
from tapeviz.engine.api.table import export
from tapeviz.engine.api.tensor_array import TensorArray
from tapeviz.engine.tensor import Tensor, TensorLike
from tapeviz.engine.variable import Variable, prefix


@export("cond")
def cond(pred: Any, true_fn: Any = None, false_fn: Any = None, name: str | None = None) -> Any:
    """The result of one of two functions; only that one is called.

    Raises:
        TypeError: something that cannot be called.
        ValueError: no condition, or one of no or several elements.
    """
    for role, each in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(each):
            raise TypeError(f"{role!r} must be callable.")
    chosen = tensor_of(pred)
    if not chosen._value.size:
        raise ValueError(f"cond: the truth value of an empty tensor is ambiguous, got {pred!r}.")
    return true_fn() if chosen else false_fn()


@export("while_loop")
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """`loop_vars = body(*loop_vars)` while `cond(*loop_vars)`; every turn is recorded.

    Raises:
        TypeError: `cond` or `body` cannot be called, or `body` gives no list.
        ValueError: no `loop_vars`, or `body` gives another structure.
    """
    for role, each in (("cond", cond), ("body", body)):
        if not callable(each):
            raise TypeError(f"{role!r} must be callable.")
    values = nest.map_structure(_read, loop_vars)
    if not values:
        raise ValueError("'loop_vars' must be provided.")
    most = None if maximum_iterations is None else int_of(maximum_iterations)
    before = values if most is not None else list(values)
    turns = 0
    while (most is None or turns < most) and cond(*values):
        values = body(*values)
        nest.assert_same_structure(before, values if most is not None else list(values))
        turns += 1
    return nest.map_structure(lambda each: each if isinstance(each, TensorArray) else tensor_of(each), values)


def _read(value: Any) -> Any:
    """A variable's value of now: what the loop writes into it does not change what it began with."""
    return value.read_value() if isinstance(value, Variable) else value


@export("get_static_value")
def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value of a tensor as an array, None for a variable, which may change; anything else as it is."""
    if isinstance(tensor, TensorLike):
        return tensor.numpy() if isinstance(tensor, Tensor) else None
    return tensor


@export("executing_eagerly")
def executing_eagerly() -> bool:
    """True: every op runs when it is called."""
    return True


@export("control_dependencies")
def control_dependencies(control_inputs: Any) -> AbstractContextManager[None]:
    """A context that changes nothing: what ops in it are to wait for has run already, and functions are called now."""
    for each in control_inputs or ():
        if callable(each):
            each()
    return nullcontext()


@export("name_scope")
class name_scope:
    """A context in which names of variables begin with a name; one with a slash at its end does not nest.

    Scopes in pictures come from the program's own functions.
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        self.name = name
        self._entered: list[Any] = []

    def __enter__(self) -> str:
        inside = self.name if self.name.endswith("/") else f"{prefix.get()}{self.name}/"
        self._entered.append(prefix.set(inside))
        return inside

    def __exit__(self, *error: object) -> None:
        prefix.reset(self._entered.pop())
