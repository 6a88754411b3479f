"""An object of the program -> its class and what it holds, without running any of the program's code.

A class may define what `x.__class__`, `x == y`, `bool(x)`, `repr(x)` and a missing attribute do, and a debugger that
looks around must not be the one to find out. So types are asked by `type`, attributes are looked up in the object's own
dictionary, and containers are read by the methods of Python's own classes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from functools import partial
from types import CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType, MethodType
from typing import Any

PLAIN = frozenset((bool, bytes, float, int, str, type(None)))
"""The classes of values that are no tensors and contain none, and whose `repr` is Python's own."""
_mro = type.__dict__["__mro__"].__get__
_namespace = type.__dict__["__dict__"].__get__
_is_above = type.__subclasscheck__
_SLOTS = (GetSetDescriptorType, MemberDescriptorType)
_Variables: Any = (lambda: type(sys._getframe().f_locals))()
"""The class of the variables of a running function: `dict`, or since Python 3.13 a view of them."""


def is_a(obj: Any, kind: type) -> bool:
    """Whether an object's class is another one or inherits from it.

    >>> class Pretender:
    ...     __class__ = int
    >>> isinstance(Pretender(), int), is_a(Pretender(), int), is_a(True, int)
    (True, False, True)
    >>> class Generous(type):
    ...     __subclasscheck__ = __instancecheck__ = lambda kind, other: True
    >>> class Welcoming(metaclass=Generous):
    ...     pass
    >>> isinstance(1, Welcoming), is_a(1, Welcoming), is_a(Welcoming(), Welcoming)
    (True, False, True)
    """
    return _is_above(kind, type(obj))  # Python's own, which asks no class what it takes for a part of it


def has_in_class(obj: Any, name: str) -> bool:
    """Whether a class of an object's, or one that it inherits from, defines a name."""
    return any(name in _namespace(each) for each in _mro(type(obj)))


def attributes(obj: Any) -> dict[str, Any]:
    """What an object holds in attributes of its own; nothing if it is a class, or has no dictionary.

    >>> class Lazy:
    ...     def __init__(self):
    ...         self.w = 1
    ...
    ...     def __getattr__(self, name):
    ...         raise RuntimeError(name)
    >>> attributes(Lazy()), attributes(3), attributes(Lazy)
    ({'w': 1}, {}, {})
    """
    for kind in _mro(type(obj)):
        own = _namespace(kind).get("__dict__")
        if own is not None:
            held: Any = own.__get__(obj) if type(own) in _SLOTS else None
            return held if is_a(held, dict) else {}
    return {}


def members(obj: Any) -> dict[str, Any]:
    """What an object holds; of a class, what it defines itself.

    >>> class Config:
    ...     beta = 1.0
    >>> members(Config)["beta"]
    1.0
    """
    return dict(_namespace(obj)) if is_a(obj, type) else attributes(obj)


def code_of(function: Any) -> CodeType | None:
    """The code of a function or method that is written in Python; None of anything else."""
    plain = function.__func__ if type(function) is MethodType else function
    return plain.__code__ if type(plain) is FunctionType else None


def arguments_of(function: Any) -> tuple[str, ...]:
    """What a function calls its positional arguments, `self` included, also behind `partial` and `wraps`; () if it is
    not written in Python."""
    while type(function) is partial or (type(function) is FunctionType and "__wrapped__" in function.__dict__):
        function = function.func if type(function) is partial else function.__dict__["__wrapped__"]
    code = code_of(function)
    return () if code is None else code.co_varnames[: code.co_argcount]


def is_filled(cell: Any) -> bool:
    """Whether a cell of a closure holds something by now."""
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def pairs(mapping: Any) -> Iterable[tuple[Any, Any]]:
    """The keys and values of a dictionary, or of the variables of a frame; none of any other mapping."""
    if is_a(mapping, dict):
        return list(dict.items(mapping))
    return list(mapping.items()) if type(mapping) is _Variables else ()


def named(mapping: Any) -> Iterator[tuple[str, Any]]:
    """The pairs of a dictionary whose key is a text."""
    return ((key, value) for key, value in pairs(mapping) if type(key) is str)


def public(mapping: Any) -> Iterator[tuple[str, Any]]:
    """The pairs of a dictionary whose key is a name without a leading underscore."""
    return ((key, value) for key, value in named(mapping) if not key.startswith("_"))


def items(whole: Any) -> Iterable[tuple[Any, Any]] | None:
    """The indices and elements of a list or a tuple, the keys and values of a dictionary; None of anything else."""
    if is_a(whole, dict):
        return pairs(whole)
    kind = next((each for each in (list, tuple) if is_a(whole, each)), None)
    return None if kind is None else enumerate(kind.__iter__(whole))
