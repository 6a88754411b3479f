"""An op of one node -> the hook that logs its VJP when the node has run.

Nearly all ops have one node, and the hook runs once for each in every pass: what does not depend on the numbers is
worked out before.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import torch

from tapeviz.events.types import VjpApplied
from tapeviz.recorders.torch.backward.reach import PendingVjp
from tapeviz.recorders.torch.stack import count

Tensor = torch.Tensor
Sent = tuple[Any, ...]
Hook = Callable[[Sent, Sent], None]
Ways = list[tuple[int, int, int]]
"""Where the gradients of a node go: the index of the argument, that of the edge, and the tensor."""


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
        kept: gives the value of a gradient; None where there are no values.
        otherwise: is called instead where it may run something of the program's.
    """

    append: Callable[[Any], None]
    run: int
    latest: list[PendingVjp]
    arrived: dict[int, int]
    values: dict[int, Any]
    kept: Callable[[Any], Any] | None
    otherwise: Callable[..., None]


def plain_hook(noted: Noted, vjp: PendingVjp, slots: list[int | None]) -> Hook:
    """The hook of a node of which `is_plain` holds."""
    inputs = vjp.op.inputs
    ways = [(slot, at, inputs[slot]) for at, slot in enumerate(slots) if slot is not None]
    if len(ways) > 1:
        ways.sort()
    return partial(
        _ran_without_values if noted.kept is None else _ran, noted, vjp, ways
    )  # in less than a closure takes


def _ran_without_values(noted: Noted, vjp: PendingVjp, ways: Ways, sent: Sent, got: Sent) -> None:
    noted.latest[0] = vjp
    op, arrived = vjp.op, noted.arrived
    given: list[Any] = [None] * len(op.inputs)
    for slot, at, target in ways:
        if sent[at] is not None:
            given[slot] = noted.values[target] = True
            arrived[target] = arrived.get(target, 0) + 1
    noted.append((VjpApplied, noted.run, op.outputs, tuple(given), None, (), (), None, None, -1))


def _ran(noted: Noted, vjp: PendingVjp, ways: Ways, sent: Sent, got: Sent) -> None:
    for each in sent:
        if (each is not None and type(each) is not Tensor) or count():
            slots = {at: slot for slot, at, _ in ways}
            return noted.otherwise(vjp, [slots.get(at) for at in range(len(sent))], (), sent, got)
    noted.latest[0] = vjp
    op, arrived, kept = vjp.op, noted.arrived, noted.kept
    given: list[Any] = [None] * len(op.inputs)
    for slot, at, target in ways:
        if sent[at] is not None:
            given[slot] = noted.values[target] = kept(sent[at])  # type: ignore[misc]
            arrived[target] = arrived.get(target, 0) + 1
    noted.append((VjpApplied, noted.run, op.outputs, tuple(given), None, (), (), None, None, -1))
