"""Parts of messages by which frameworks refuse a gradient -> the errors of a log that contain them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tapeviz.events import ErrorRaised
from tapeviz.events.refusals import MessagePart as MessagePart
from tapeviz.graph import Graph


def errors_saying(graph: Graph, *parts: MessagePart) -> Iterator[tuple[int, ErrorRaised]]:
    """(position, error) for the errors of a log that say one of `parts`."""
    for position, error in graph.log.of_kind(ErrorRaised).items():
        if any(part in error.message for part in parts):
            yield position, error


def last_before(graph: Graph, position: int, *kinds: type[Any], **fields: Any) -> int | None:
    """Where the last event of some kinds before a position is, with these values in its fields."""
    for at in range(position - 1, -1, -1):
        event = graph.log.events[at]
        if isinstance(event, kinds) and all(getattr(event, name) == value for name, value in fields.items()):
            return at
    return None
