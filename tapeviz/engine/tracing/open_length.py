"""The length of first axes that a graph does not know: TensorFlow builds it for batches of any number of examples."""

from __future__ import annotations

from contextvars import ContextVar

open_length: ContextVar[int | None] = ContextVar("tapeviz.open_length", default=None)
"""How many examples are in the batch meanwhile; None where graphs know it."""
