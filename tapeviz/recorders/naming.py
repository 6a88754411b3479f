"""A tensor and what it is called -> records, where the user's line does not say it or says it of another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.events.log import EventLog
from tapeviz.events.raw import Named


def give_name(log: EventLog, raw_id: int, name: str | tuple[str]) -> None:
    """A tensor is called so where its line gives it no name; a name in a tuple gives way to longer ones."""
    log.append(Named, None, raw_id, None, name)


def take_name(log: EventLog, raw_id: int) -> None:
    """What its line gives a name to is another tensor."""
    log.append(Named, None, raw_id)


def rename(log: EventLog, raw_id: int, name: str | tuple[str]) -> None:
    """A tensor is called so, whatever its line says."""
    take_name(log, raw_id)
    give_name(log, raw_id, name)


def name_by_line(log: EventLog, inputs: tuple[Any, ...], results: tuple[Any, ...], place: Sequence[Any]) -> None:
    """The line at a `place`, the code and the instruction in it and the scope, names these results of its, though the
    op that gave them is not its own; what went into it has its name from elsewhere."""
    log.append(Named, inputs, results, None, None, *place)
