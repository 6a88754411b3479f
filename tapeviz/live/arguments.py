"""A function, its arguments and its result -> the tensors in the result, or an error that says what a verb needs."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.source.sites import span_of
from tapeviz.validation import function_first


def require_arguments(verb: str, function: Callable[..., Any], arguments: Mapping[str, Any]) -> None:
    """Raise a TypeError if this is no function, if there is no argument, or if it takes other ones than these."""
    function_first(function, verb)
    if not arguments:
        raise TypeError(f"{verb} needs an argument to differentiate by: tv.{verb}(f, x=3.0).")
    try:
        signature = inspect.signature(function)
    except ValueError:  # a builtin does not say what it takes
        return
    try:
        signature.bind(**arguments)
    except TypeError as error:
        raise TypeError(f"{verb}: {name_of(function)}{signature}: {error}.") from None


def returned_tensors(verb: str, function: Callable[..., Any], returned: Any) -> list[TensorLike]:
    """The tensors that a function returned, in a structure or alone.

    Raises:
        TypeError: there is none, or something else beside them.
    """
    tensors = nest.flatten(returned)
    if not tensors or not all(isinstance(each, TensorLike) for each in tensors):
        raise TypeError(
            f"{verb}: {name_of(function)} returned {returned!r:.60}: let it return the tensor to differentiate."
        )
    return tensors


def name_of(function: Callable[..., Any]) -> str:
    """The name of a function, or of the class of another callable."""
    return str(getattr(function, "__name__", type(function).__name__))


def runner_at(caller: FrameType) -> Callable[[Callable[[], None]], None]:
    """A function that runs another as if `caller` called it, by the call of a verb that it is at.

    A log looks for the nearest frame of the user's own, and below the callback of a slider there would be none.
    """
    call, span = ast.parse("run()", mode="eval"), span_of(caller.f_code, caller.f_lasti)
    for node in ast.walk(call):
        if isinstance(node, ast.expr):
            node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = span
    code = compile(call, caller.f_code.co_filename, "eval")
    return lambda run: eval(code, {"run": run})
