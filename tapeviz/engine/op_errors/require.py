"""A condition on arguments -> TensorFlow's error unless it holds."""

from __future__ import annotations

from tapeviz.errors import InvalidArgumentError


def require(condition: bool, message: str, at_run: bool = False, while_building: str | None = None) -> None:
    """Raise InvalidArgumentError, with these arguments, unless a condition holds."""
    if not condition:
        raise InvalidArgumentError(message, at_run=at_run, while_building=while_building)
