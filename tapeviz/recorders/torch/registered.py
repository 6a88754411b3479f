"""The function that PyTorch makes of an operator of `torch.library` -> the gradient that the user gave with it."""

from __future__ import annotations

from typing import Any, NamedTuple

from tapeviz.events.program.frames import is_library
from tapeviz.events.program.inspection import code_of


class RegisteredGradient(NamedTuple):
    """The user's gradient function of an operator, and what the operator calls its arguments."""

    rule: Any
    arguments: tuple[str, ...]


def registered_with(cls: Any) -> RegisteredGradient | None:
    """What was registered with the operator that a function was made for; None of any other, and of a package's.

    The names are those of PyTorch's closure, which is the only place that has both: another version may have others.
    """
    rule = getattr(_held(cls.backward).get("info"), "_backward_fn", None)
    schema = getattr(_held(cls.forward).get("op"), "_schema", None)
    code = code_of(rule)
    if code is None or schema is None or is_library(code.co_filename):
        return None
    return RegisteredGradient(rule, tuple([each.name for each in schema.arguments]))


def _held(function: Any) -> dict[str, Any]:
    """What a function holds of those around it, by its name there."""
    names, cells = getattr(function, "__code__", None), getattr(function, "__closure__", None)
    return {} if names is None else dict(zip(names.co_freevars, map(_content, cells or ()), strict=True))


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # nothing is in it yet
        return None
