"""The types of the functions that make messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

Shape: TypeAlias = tuple[int, ...]
Values: TypeAlias = Sequence[Any]
MessageFunction: TypeAlias = Callable[..., str | None]
"""A function of the operands, as arrays, and of the attributes -> the message, or None if these are right."""
