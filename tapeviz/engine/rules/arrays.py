"""A rule of the op table -> the same rule for arrays alone, which calls primals where that calls ops.

A backward pass that nothing records works on arrays. What an op does besides its primal, it does for nothing there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from types import CellType, FunctionType
from typing import Any, TypeVar

TABLE = "tapeviz.engine.ops."
Rule = TypeVar("Rule", bound=Callable[..., Any])


def by_arrays(kernel: Callable[..., Any]) -> Callable[[Rule], Rule]:
    """Marks a rule that `kernel` takes the place of on arrays, because it does the same with fewer calls."""

    def mark(rule: Rule) -> Rule:
        rule.primal = kernel  # type: ignore[attr-defined]
        return rule

    return mark


def on_arrays(function: Any) -> Any:
    """An op of the table as its primal; a function of the table as one that runs the same code on arrays.

    Anything else is what it was: a user's rule may look its names up anew each time.
    """
    if not isinstance(function, FunctionType):
        return function
    if hasattr(function, "primal"):
        return function.primal
    if not function.__module__.startswith(TABLE):
        return function
    names = _names(function.__module__)
    if not names:
        names.update(vars(sys.modules[function.__module__]))  # first as they are: functions refer to each other
        names.update({name: on_arrays(each) for name, each in names.items()})
    closure = tuple(CellType(on_arrays(cell.cell_contents)) for cell in function.__closure__ or ())
    same = FunctionType(function.__code__, names, function.__name__, function.__defaults__, closure)
    same.__kwdefaults__ = function.__kwdefaults__
    return same


@cache
def _names(module: str) -> dict[str, Any]:
    """The names that functions on arrays see around them, per module of the table; empty at first."""
    return {}
