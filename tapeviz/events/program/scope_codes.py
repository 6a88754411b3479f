"""A name, and the class of a module -> the code that stands for a call of it in a scope."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import CodeType


@cache
def code_called(name: str, kind: str = "") -> CodeType:
    """Code that does nothing, under a name: scopes are distinguished by the code that runs in them."""
    nothing: Callable[[], None] = lambda: None  # noqa: E731
    return nothing.__code__.replace(co_name=name, co_qualname=kind)


def kind_of(code: CodeType) -> str:
    """The class for which `code_called` made a code; "" where there is none, and of any other code.

    >>> kind_of(code_called("layers.0", "Linear")), kind_of(kind_of.__code__.replace(co_filename="train.py"))
    ('Linear', '')
    """
    return code.co_qualname if code.co_filename == kind_of.__code__.co_filename else ""
