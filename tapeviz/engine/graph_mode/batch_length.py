"""The length of the first axis of a batch, which graphs leave open."""

from __future__ import annotations

from contextvars import ContextVar

batch_length: ContextVar[int | None] = ContextVar("tapeviz.batch_length", default=None)
"""How long that axis is here; None where the graph knows the length."""
