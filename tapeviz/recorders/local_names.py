"""A running function and an object -> the name by which the function refers to the object."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FrameType
from typing import Any, TypeVar

from tapeviz.events.program.frames import outward
from tapeviz.events.program.inspection import attributes, named, public

Found = TypeVar("Found")
Within = Callable[[Any], str | None]
"""From the value of a variable to the path from it to an object: "" if it is the object, None if there is no path."""
OURS = 3
"""How many references there are to the copy of a function's variables: the frame's, and two in `look_in`."""

_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
"""What runs in a frame of its own, until Python 3.12 all of these."""


def look_in(frame: FrameType, look: Callable[[Mapping[str, Any]], Found | None]) -> Found | None:
    """What `look` finds in the variables of a running function.

    Until Python 3.12, `f_locals` is a copy that stays in the frame, and would keep alive what the function has deleted.
    So it is cleared afterwards, unless the program refers to it as well: `locals()` returns the same object.
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
    """The name of an object in a running function or its module, by the first variable that leads to it."""
    return look_around(frame, lambda variables: _name_in(variables, within))


def around_comprehensions(frame: FrameType) -> FrameType:
    """The frame of the function in which a comprehension runs: the name of its loop is that of every element."""
    while frame.f_code.co_name in _COMPREHENSIONS and frame.f_back is not None:
        frame = frame.f_back
    return frame


def named_in(frame: FrameType, obj: Any) -> str | None:
    """The name of the variable of a running function whose value is `obj`.

    >>> import sys
    >>> loss = object()
    >>> named_in(sys._getframe(), loss)
    'loss'
    """
    return look_in(frame, lambda variables: _name_in(variables, lambda value: "" if value is obj else None))


def _attribute_in(frame: FrameType, obj: Any) -> str | None:
    """The variable and attribute of a running function, as `model.w`, whose value is `obj`."""
    return look_in(frame, lambda variables: _name_in(variables, lambda value: _attribute(value, obj)))


def called_in(frame: FrameType, obj: Any, home: FrameType | None = None) -> str | None:
    """The name of a variable, or of an attribute of one, whose value is `obj`, in a frame or its callers; or None.

    Names in the frame `home` and its callers are preferred to those of parameters in the functions called from there.

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


def arguments(function: Any, values: Sequence[Any]) -> Iterable[tuple[str, Any]]:
    """The pairs of parameter name and argument of a call by position; none if the function has no signature."""
    try:
        return inspect.signature(function).bind_partial(*values).arguments.items()
    except (TypeError, ValueError):  # one written in C, or a call that is to fail
        return ()


def _name_in(variables: Mapping[str, Any], within: Within) -> str | None:
    for name, value in public(variables):
        path = within(value)
        if path is not None:
            return name + path
    return None


def _attribute(value: Any, obj: Any) -> str | None:
    return next((f".{name}" for name, each in named(attributes(value)) if each is obj), None)
