"""The length that stands for an unknown first axis: TensorFlow builds a graph for batches of any size."""

from __future__ import annotations

from contextvars import ContextVar

open_length: ContextVar[int | None] = ContextVar("tapeviz.open_length", default=None)
"""How many examples are in the batch meanwhile; None where graphs know it."""
