"""A module of functions that take a framework -> programs, and which of them fail on purpose."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

Program = Callable[[Any], Any]


def fails(program: Program) -> Program:
    """Mark a program that ends with an error: any other one that does is a mistake of its author's."""
    program.fails = True  # type: ignore[attr-defined]
    return program


def programs_of(module: ModuleType) -> dict[str, Program]:
    """The programs of a module, by name; what begins with an underscore only helps them."""
    members = inspect.getmembers(module, inspect.isfunction)
    return {name: each for name, each in members if each.__module__ == module.__name__ and not name.startswith("_")}


def is_marked_to_fail(program: Program) -> bool:
    """Whether a program is about the error that it ends with."""
    return hasattr(program, "fails")
