"""An op of one node -> the hook that logs its VJP when the node has run.

Nearly all ops have one node, and the hook runs once for each in every pass: what does not depend on the numbers is
worked out before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from tapeviz.events.types import VjpApplied
from tapeviz.recorders.torch.backward.reach import PendingVjp
from tapeviz.recorders.torch.stack import count

Hook = Callable[[tuple[Any, ...], tuple[Any, ...]], None]


def is_plain(slots: list[int | None]) -> bool:
    """Whether each argument of an op gets at most one gradient from its node."""
    taken = [slot for slot in slots if slot is not None]
    return len(taken) == len(set(taken))


class Noted(NamedTuple):
    """Where the hooks of one run note what happens.

    Attributes:
        append: appends a record, of which it is given the entries.
        run: the number of the run.
        latest: the VJP of which a node has run last.
        arrived: how many gradients have arrived at a tensor, by its raw id.
        values: the latest of these, as the log has it.
    """

    append: Callable[[Any], None]
    run: int
    latest: list[PendingVjp]
    arrived: dict[int, int]
    values: dict[int, Any]


def plain_hook(
    noted: Noted, vjp: PendingVjp, slots: list[int | None], kept: Callable[[Any], Any] | None, otherwise: Hook
) -> Hook:
    """The hook of a node of which `is_plain` holds.

    `kept` gives the value of a gradient; without it there are none. What may run something of the program's is left to
    `otherwise`.
    """
    append, run, latest, arrived, values = noted
    inputs, outputs = vjp.op.inputs, vjp.op.outputs
    ways = sorted((slot, at, inputs[slot]) for at, slot in enumerate(slots) if slot is not None)
    none, end = [None] * len(inputs), (None, (), (), None, None, -1)
    plain = torch.Tensor

    def ran_without_values(sent: tuple[Any, ...], got: tuple[Any, ...]) -> None:
        latest[0] = vjp
        given: list[Any] = none[:]
        for slot, at, target in ways:
            if sent[at] is not None:
                given[slot] = values[target] = True
                arrived[target] = arrived.get(target, 0) + 1
        append((VjpApplied, run, outputs, tuple(given), *end))

    if kept is None:
        return ran_without_values
    keep = kept

    def ran(sent: tuple[Any, ...], got: tuple[Any, ...]) -> None:
        for each in sent:
            if each is not None and type(each) is not plain or count():
                return otherwise(sent, got)
        latest[0] = vjp
        given: list[Any] = none[:]
        for slot, at, target in ways:
            if sent[at] is not None:
                given[slot] = values[target] = keep(sent[at])
                arrived[target] = arrived.get(target, 0) + 1
        append((VjpApplied, run, outputs, tuple(given), *end))

    return ran
