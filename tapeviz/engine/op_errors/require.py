"""A condition on arguments -> TensorFlow's error unless it holds."""

from __future__ import annotations

from tapeviz.errors import InvalidArgumentError


def require(condition: bool, message: str, at_run: bool = False) -> None:
    """Raise InvalidArgumentError, with these arguments, unless a condition holds."""
    if not condition:
        raise InvalidArgumentError(message, at_run=at_run)
