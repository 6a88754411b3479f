"""A context variable and a value -> a block in which the variable has that value."""

from __future__ import annotations

from contextvars import ContextVar, Token
from typing import Any


class Setting:
    """A block in which a context variable has a value; a class, as each call of a layer opens one, and it is quicker.

    >>> depth = ContextVar("depth", default=0)
    >>> with Setting(depth, 1):
    ...     depth.get()
    1
    >>> depth.get()
    0
    """

    __slots__ = ("_token", "_value", "_variable")

    _token: Token[Any]

    def __init__(self, variable: ContextVar[Any], value: object) -> None:
        self._variable, self._value = variable, value

    def __enter__(self) -> None:
        self._token = self._variable.set(self._value)

    def __exit__(self, *error: object) -> None:
        self._variable.reset(self._token)
