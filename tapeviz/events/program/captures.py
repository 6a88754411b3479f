"""A function that TensorFlow would compile at its first call -> the Python values that would be built in.

A compiled function keeps the numbers, texts and settings that it read while it was traced. Here its body runs at every
call, and sees what they have become.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Iterator
from types import CodeType, ModuleType
from typing import Any

from tapeviz.events.program.inspection import is_a, items, members, named

PLAIN = (bool, int, float, str, type(None))
"""Values of these types are built into a compiled function."""


MOST = 64
"""Kinds of arguments of one function that are remembered, the latest."""


class Captures:
    """The Python values that one function has read at the calls at which it would have been traced."""

    def __init__(self) -> None:
        self._read: dict[Hashable, dict[str, Any]] = {}

    @property
    def is_traced(self) -> bool:
        """Whether the function was called before."""
        return bool(self._read)

    def changed(self, function: Callable[..., Any], owner: Any, arguments: Iterable[Any]) -> tuple[str, ...]:
        """The names of the values that have changed since the call at which arguments like these were traced.

        `owner` is the object whose method the function is, None of others; `arguments` are the leaves of what it is
        given.
        """
        read = dict(_values(function, owner))
        before = self._read.setdefault(tuple(map(_kind, arguments)), read)
        if len(self._read) > MOST:
            del self._read[next(iter(self._read))]
        return tuple(name for name, value in read.items() if name in before and before[name] != value)

    def trace_again(self, function: Callable[..., Any], owner: Any, arguments: Iterable[Any]) -> None:
        """The first call made variables: TensorFlow traces the function once more, with what it reads after that."""
        self._read[tuple(map(_kind, arguments))] = dict(_values(function, owner))


def _kind(argument: Any) -> Hashable:
    """What TensorFlow distinguishes calls by: the shape and dtype of a tensor, the value of a number."""
    if hasattr(argument, "shape") and hasattr(argument, "dtype"):
        return "tensor", str(argument.shape), str(argument.dtype)
    return ("value", type(argument), argument) if type(argument) in PLAIN else ("object", id(argument))


def _values(function: Callable[..., Any], owner: Any) -> Iterator[tuple[str, Any]]:
    """The plain values that a function reads, by the names in its text."""
    plain = inspect.unwrap(function)
    code = getattr(plain, "__code__", None)
    if code is None:
        return
    around = getattr(plain, "__globals__", {})
    owners = {name: around[name] for name in code.co_names if name in around} | enclosed(plain)
    for name, value in owners.items():
        if type(value) in PLAIN:
            yield name, value
    owners[""] = owner
    for name, value in owners.items():
        yield from _held(name, value, code)


def enclosed(function: Any) -> dict[str, Any]:
    """What a Python function reads in the functions around it, by name; what has no value yet is left out."""
    cells = getattr(function, "__closure__", None) or ()
    names = zip(function.__code__.co_freevars, cells, strict=False)
    return {name: each.cell_contents for name, each in names if _is_full(each)}


def _held(name: str, owner: Any, code: CodeType) -> Iterator[tuple[str, Any]]:
    """The plain values in an object, a dict or a list that a function's text may read there."""
    if is_a(owner, ModuleType):
        return
    if is_a(owner, list):
        parts = tuple([each for _, each in items(owner) or ()])
        yield from [(name, parts)] if all(type(each) in PLAIN for each in parts) else []
        return
    is_dict = is_a(owner, dict)
    asked = [each for each in code.co_consts if isinstance(each, str)] if is_dict else code.co_names
    held = dict(named(owner if is_dict else members(owner)))
    yield from ((each, held[each]) for each in asked if each in held and type(held[each]) in PLAIN)


def _is_full(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None or True
    except ValueError:  # a name that has no value yet
        return False
