"""A rule of the op table -> the same rule for arrays alone, which calls the primals of ops in place of the ops.

A backward pass that nothing records works on arrays, for which all that an op does besides its primal is in vain.
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
    """A decorator of a rule. For arrays, `kernel` is called instead, which computes the same with fewer calls."""

    def mark(rule: Rule) -> Rule:
        rule.primal = kernel  # type: ignore[attr-defined]
        return rule

    return mark


def on_arrays(function: object) -> Any:
    """A function of the op table for arrays: the primal of an op, or a copy of a rule that calls primals.

    Anything else is returned unchanged: a user's rule must see changes of its global names.
    """
    if not isinstance(function, FunctionType):
        return function
    if hasattr(function, "primal"):
        return function.primal
    if not function.__module__.startswith(TABLE):
        return function
    names = _names(function.__module__)
    if not names:
        names.update(vars(sys.modules[function.__module__]))  # unchanged at first, as functions refer to each other
        names.update({name: on_arrays(each) for name, each in names.items()})
    closure = tuple(CellType(on_arrays(cell.cell_contents)) for cell in function.__closure__ or ())
    same = FunctionType(function.__code__, names, function.__name__, function.__defaults__, closure)
    same.__kwdefaults__ = function.__kwdefaults__
    return same


@cache
def _names(module: str) -> dict[str, Any]:
    """The global names of functions on arrays, for each module of the op table; empty at first."""
    return {}
