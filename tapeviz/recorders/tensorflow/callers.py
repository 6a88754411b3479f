"""A frame of the user's and an object -> what the user calls it there."""

from __future__ import annotations

from types import FrameType
from typing import Any


def called_in(frame: FrameType | None, obj: Any) -> str | None:
    """The name of a variable, or of an attribute of one, that holds `obj` in a frame or further up; None: none does.

    >>> import sys
    >>> weights = object()
    >>> called_in(sys._getframe(), weights)
    'weights'
    """
    at = frame
    while at is not None:
        name = named_in(at, obj)
        if name is not None:
            return name
        for name, value in at.f_locals.items():
            for attribute, held in list(getattr(value, "__dict__", {}).items()) if not isinstance(value, type) else ():
                if held is obj and not name.startswith("_"):
                    return f"{name}.{attribute}"
        if at.f_code.co_name == "<module>":
            return None
        at = at.f_back
    return None


def named_in(frame: FrameType, obj: Any) -> str | None:
    """The variable that holds `obj` in a frame.

    >>> import sys
    >>> loss = object()
    >>> named_in(sys._getframe(), loss)
    'loss'
    """
    return next((name for name, each in frame.f_locals.items() if each is obj and not name.startswith("_")), None)
