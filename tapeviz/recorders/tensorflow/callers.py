"""A frame of the user's and an object -> the object's name there."""

from __future__ import annotations

from types import FrameType
from typing import Any


def called_in(frame: FrameType | None, obj: Any, home: FrameType | None = None) -> str | None:
    """The name of a variable, or of an attribute of one, that holds `obj` in a frame or further up; None: none does.

    A name in the frame `home`, or from there up, comes before those of the parameters of functions called from there.

    >>> import sys
    >>> weights = object()
    >>> called_in(sys._getframe(), weights)
    'weights'
    """
    at, is_inside, inner = frame, home is not None, None
    while at is not None:
        is_inside = is_inside and at is not home
        name = named_in(at, obj) or _attribute_in(at, obj)
        if name is not None and not is_inside:
            return name
        inner = inner or name
        at = None if at.f_code.co_name == "<module>" else at.f_back
    return inner


def _attribute_in(frame: FrameType, obj: Any) -> str | None:
    """The attribute of a variable in a frame that holds `obj`."""
    for name, value in frame.f_locals.items():
        if name.startswith("_") or isinstance(value, type):
            continue
        for attribute, held in list(getattr(value, "__dict__", {}).items()):
            if held is obj:
                return f"{name}.{attribute}"
    return None


def named_in(frame: FrameType, obj: Any) -> str | None:
    """The variable that holds `obj` in a frame.

    >>> import sys
    >>> loss = object()
    >>> named_in(sys._getframe(), loss)
    'loss'
    """
    return next((name for name, each in frame.f_locals.items() if each is obj and not name.startswith("_")), None)
