"""A running function, or a call, and something in it -> what the program calls that there."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FrameType
from typing import Any, TypeVar

from tapeviz.events.program.frames import outward

Found = TypeVar("Found")
Within = Callable[[Any], str | None]
"""From the value of a variable to the path by which it holds something: "" where it is that, None where it does not."""
OURS = 3
"""How many hold the copy of a function's variables if the program does not: the frame, and `look_in` twice."""


def look_in(frame: FrameType, look: Callable[[Mapping[str, Any]], Found | None]) -> Found | None:
    """What `look` finds in the variables of a running function.

    Until Python 3.12 they come as a copy that stays in the frame, and would keep alive whatever the function lets go
    of. So it is emptied, unless the program holds it too: `locals()` gave it the same one.
    """
    variables = frame.f_locals
    try:
        return look(variables)
    finally:
        is_copy = frame.f_code.co_flags & inspect.CO_OPTIMIZED and type(variables) is dict
        if is_copy and sys.getrefcount(variables) <= OURS:
            variables.clear()


def look_around(frame: FrameType, look: Callable[[Mapping[str, Any]], Found | None]) -> Found | None:
    """What `look` finds in the variables of a running function, or else in those of its module."""
    found = look_in(frame, look)
    is_modules = not frame.f_code.co_flags & inspect.CO_OPTIMIZED and frame.f_locals is frame.f_globals
    return found if found is not None or is_modules else look(frame.f_globals)


def name_held(frame: FrameType, within: Within) -> str | None:
    """The name of something in a running function or its module, by the first variable that holds it."""
    return look_around(frame, lambda variables: _name_in(variables, within))


def named_in(frame: FrameType, obj: Any) -> str | None:
    """The variable that holds `obj` in a running function.

    >>> import sys
    >>> loss = object()
    >>> named_in(sys._getframe(), loss)
    'loss'
    """
    return look_in(frame, lambda variables: _name_in(variables, lambda value: "" if value is obj else None))


def _attribute_in(frame: FrameType, obj: Any) -> str | None:
    """The attribute of a variable that holds `obj` in a running function."""
    return look_in(frame, lambda variables: _name_in(variables, lambda value: _attribute(value, obj)))


def called_in(frame: FrameType, obj: Any, home: FrameType | None = None) -> str | None:
    """The name of a variable, or of an attribute of one, that holds `obj` in a frame or further up; None: none does.

    A name in the frame `home`, or from there up, comes before those of the parameters of functions called from there.

    >>> import sys
    >>> weights = object()
    >>> called_in(sys._getframe(), weights)
    'weights'
    """
    is_inside, inner = home is not None, None
    for at in outward(frame):
        is_inside = is_inside and at is not home
        name = named_in(at, obj) or _attribute_in(at, obj)
        if name is not None and not is_inside:
            return name
        inner = inner or name
        if at.f_code.co_name == "<module>":
            break
    return inner


def arguments(function: Any, given: Sequence[Any]) -> Iterable[tuple[str, Any]]:
    """What a function is given by position, each behind the name of its parameter; nothing where it does not say."""
    try:
        return inspect.signature(function).bind_partial(*given).arguments.items()
    except (TypeError, ValueError):  # one written in C, or a call that is to fail
        return ()


def _name_in(variables: Mapping[str, Any], within: Within) -> str | None:
    for name, value in list(variables.items()):
        if not name.startswith("_") and (path := within(value)) is not None:
            return name + path
    return None


def _attribute(value: Any, obj: Any) -> str | None:
    held = {} if isinstance(value, type) else getattr(value, "__dict__", {})
    return next((f".{name}" for name, each in list(held.items()) if each is obj), None)
