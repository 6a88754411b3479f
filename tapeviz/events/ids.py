"""What the ids in events are, and the table that each is an index into."""

from __future__ import annotations

from typing import Annotated, TypeAlias

TensorId: TypeAlias = Annotated[int, "tensor"]
SiteId: TypeAlias = Annotated[int, "site"]
ScopeId: TypeAlias = Annotated[int, "scope"]
Position: TypeAlias = Annotated[int, "event"]
"""Indices into the tables and the events of a log. What is annotated so is checked when a log is loaded."""

TapeId: TypeAlias = Annotated[int, "tape"]
RunId: TypeAlias = Annotated[int, "run"]
"""Tapes and runs are numbered as they come; they have no table."""
