"""A function and the arguments it is to be called with -> whether it takes them, what it is called, from where."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any


def require_taken(verb: str, function: Callable[..., Any], arguments: Mapping[str, Any]) -> None:
    """Raise a TypeError if the function takes other arguments than these."""
    try:
        signature = inspect.signature(function)
    except ValueError:  # a builtin does not say what it takes
        return
    try:
        signature.bind(**arguments)
    except TypeError as error:
        raise TypeError(f"{verb}: {name_of(function)}{signature}: {error}.") from None


def name_of(function: Callable[..., Any]) -> str:
    """What a function, or anything that can be called, goes by."""
    return str(getattr(function, "__name__", type(function).__name__))


def said_at(caller: FrameType) -> Callable[[Callable[[], None]], None]:
    """How to run something so that the log finds it where `explore` was called, however late a slider is moved.

    The log looks for the nearest frame of the user's own; below a slider's callback there would be none.
    """
    line, filename = caller.f_lineno, caller.f_code.co_filename
    code = compile("\n" * (line - 1) + "run()", filename, "eval")
    return lambda run: eval(code, {"run": run})
