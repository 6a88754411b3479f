"""The types of sentences, and how they spell a shape."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

Shape: TypeAlias = tuple[int, ...]
Values: TypeAlias = Sequence[Any]
Sentence: TypeAlias = Callable[..., str | None]
"""A function of the operands, as arrays, and of the attributes -> the sentence, or None if these are right."""


def listed(shape: Iterable[Any]) -> str:
    """A shape as TensorFlow's kernels write it: `[2,3]`."""
    return f"[{','.join('?' if n is None else str(n) for n in shape)}]"
