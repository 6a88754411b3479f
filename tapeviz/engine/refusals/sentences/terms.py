"""What sentences are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

Shape: TypeAlias = tuple[int, ...]
Values: TypeAlias = Sequence[Any]
Sentence: TypeAlias = Callable[..., str | None]
"""The arrays that an op was given, and its attributes by name -> the sentence, or None where all of that is right."""


def listed(shape: Iterable[Any]) -> str:
    """A shape as TensorFlow's kernels write it: `[2,3]`."""
    return f"[{','.join('?' if n is None else str(n) for n in shape)}]"
