"""A tensor and its name -> records of the name, where it is not that of the variable which the user's line assigns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.events.log import EventLog
from tapeviz.events.raw import Named


def give_name(log: EventLog, raw_id: int, name: str | tuple[str]) -> None:
    """Record a name, for a tensor to which its line gives none. A name in a tuple may be replaced by a longer one."""
    log.append(Named, None, raw_id, None, name)


def take_name(log: EventLog, raw_id: int) -> None:
    """Record that the variable which a tensor's line assigns is another tensor, so that this one has no name of it."""
    log.append(Named, None, raw_id)


def rename(log: EventLog, raw_id: int, name: str | tuple[str]) -> None:
    """Record the name of a tensor, whatever name its line gives it."""
    take_name(log, raw_id)
    give_name(log, raw_id, name)


def name_by_line(log: EventLog, inputs: tuple[Any, ...], results: tuple[Any, ...], place: Sequence[Any]) -> None:
    """Record that a line names these results, although ops of other lines made them, and that it names no `inputs`.

    The `place` of the line is its code, the instruction in it, and the scope.
    """
    log.append(Named, inputs, results, None, None, *place)
