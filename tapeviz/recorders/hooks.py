"""A framework's function, and what a recording does when it is called -> a row of the table of patches.

A row says when the recording acts, at which function, and what it does:

    running.after(GradientTape, "watch", self._watched)
    running.instead(GradientTape, "reset", self._reset)
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from tapeviz.recorders.patches import Acting, Wrapped


class When:
    """Makes rows whose actions run only while a condition `holds`. Otherwise the function works as without patches."""

    def __init__(self, holds: Callable[[], bool]) -> None:
        self._holds = holds

    def before(self, owner: Any, name: str, act: Callable[..., None]) -> Wrapped:
        """Call `act` with the arguments of the call, and then the function."""

        def acting(original: Any, *args: Any, **kwargs: Any) -> Any:
            act(*args, **kwargs)
            return original(*args, **kwargs)

        return self.instead(owner, name, acting)

    def after(self, owner: Any, name: str, act: Callable[..., None]) -> Wrapped:
        """Call the function, and then `act` with the same arguments."""

        def acting(original: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(*args, **kwargs)
            if self._holds():
                act(*args, **kwargs)
            return result

        return ALWAYS.instead(owner, name, acting)

    def failed(self, owner: Any, name: str, act: Callable[[Exception], None]) -> Wrapped:
        """Call `act` with the exception that the function raises, and raise it again."""

        def acting(original: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                return original(*args, **kwargs)
            except Exception as error:
                if self._holds():
                    act(error)
                raise

        return ALWAYS.instead(owner, name, acting)

    def within(self, owner: Any, name: str, block: Callable[[], AbstractContextManager[Any]]) -> Wrapped:
        """Call the function inside of a `with` block."""

        def enclosed(original: Any, *args: Any, **kwargs: Any) -> Any:
            with block():
                return original(*args, **kwargs)

        return self.instead(owner, name, enclosed)

    def instead(self, owner: Any, name: str, act: Callable[..., Any]) -> Wrapped:
        """Call `act` instead of the function, with the function and then the arguments of the call."""
        return Wrapped(owner, name, Acting(self._holds, act))


ALWAYS = When(lambda: True)
