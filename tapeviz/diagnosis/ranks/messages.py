"""Logs of ranks -> what one sent another, and the gradients with which a step backward goes on at another rank.

What is sent is paired with what is received, in order. A stage of a pipeline sends what it has computed; the next one
takes the gradient of what it received, and sends that back: the first goes on with it, as the seed of a run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from tapeviz.diagnosis.ranks.passes import OWN_PART
from tapeviz.diagnosis.ranks.rank_log import RankLog
from tapeviz.events import BackwardFinished, BackwardStarted, GradientStored

SEND, RECEIVE = "dist.send", "dist.recv"
COPIES = OWN_PART | {"identity"}
"""Ops that give the numbers of their argument."""


class Message(NamedTuple):
    """What one rank sent another: who, and where each did its part, in its own log."""

    source: int
    sent: int
    target: int
    received: int


class End(NamedTuple):
    """One side of a gradient that goes from rank to rank.

    Attributes:
        position: where the run began that gave it, or that it is a seed of.
        tensor: whose gradient it is.
        gradient: the gradient, as the rank has it.
    """

    position: int
    tensor: int
    gradient: int


class Return(NamedTuple):
    """A gradient that a rank found `here` of what it had received, and sent back: its source goes on `there`."""

    source: int
    there: End
    target: int
    here: End


def messages(logs: Sequence[RankLog]) -> list[Message]:
    """What was sent and received, the first with the first of the same two ranks, group and tag."""
    sent, received = (_posted(logs, op, peer) for op, peer in ((SEND, "to"), (RECEIVE, "from")))
    return [
        Message(source, one, target, other)
        for (source, target, group, tag), positions in sent.items()
        for one, other in zip(positions, received.get((target, source, group, tag), ()), strict=False)
    ]


def _posted(logs: Sequence[RankLog], op: str, peer: str) -> dict[tuple[int, Any, Any, Any], list[int]]:
    """A rank, its peer, group and tag -> the positions of what goes from the one to the other, or comes."""
    found: defaultdict[tuple[int, Any, Any, Any], list[int]] = defaultdict(list)
    for log in logs:
        for position, each in log.ops.items():
            if each.op == op:
                about = dict(each.attrs)
                found[log.rank, about.get(peer), about.get("group"), about.get("tag")].append(position)
    return found


def returns(logs: Sequence[RankLog]) -> Iterator[Return]:
    """The gradients that ranks sent back, of what they had received."""
    all_sent = messages(logs)
    stages = {log.rank: _Stage(log) for log in logs} if all_sent else {}
    came: defaultdict[tuple[int, int], list[Message]] = defaultdict(list)
    for each in all_sent:
        for tensor in stages[each.target].buffers(each.received):
            came[each.target, tensor].append(each)
    for back in all_sent:
        here = stages[back.source].gradient_sent(back.sent)
        if here is None:
            continue
        before = (each for each in came[back.source, here.tensor] if each.received < here.position)
        forth = max(before, key=lambda each: each.received, default=None)
        there = None if forth is None else stages[forth.source].seeded(forth.sent, back.received)
        if forth is not None and there is not None and forth.source == back.target:
            yield Return(forth.source, there, back.source, here)


class _Stage:
    """What a rank made of the messages that it got."""

    def __init__(self, log: RankLog) -> None:
        self._log = log

    def buffers(self, received: int) -> tuple[int, ...]:
        """What a message was received as: one that is to get a gradient stays the tensor that it was."""
        op = self._log.ops[received]
        return *op.inputs, *op.outputs

    def gradient_sent(self, sent: int) -> End | None:
        """The gradient that a message is, of a tensor in the latest run; None if it is none."""
        return next((self._found[each] for each in self._origins(sent) if each in self._found), None)

    def seeded(self, sent: int, since: int) -> End | None:
        """The first run after a position whose target is what a message was; its seed is known, and alone."""
        runs = (run for each in self._origins(sent) for run in self._targets.get(each, ()))
        return next((run for run in runs if run.position > since), None)

    def _origins(self, sent: int) -> Iterator[int]:
        """What a message is, and what that has its numbers from."""
        pending = list(self._log.ops[sent].inputs)
        while pending:
            tensor = pending.pop()
            yield tensor
            maker = self._log.maker(tensor)
            if maker is not None and maker.op in COPIES:
                pending += maker.inputs[:1]

    @cached_property
    def _targets(self) -> dict[int, list[End]]:
        """A tensor -> the runs that began at it, with a seed."""
        found: defaultdict[int, list[End]] = defaultdict(list)
        for position, run in self._log.log.of_kind(BackwardStarted).items():
            for tensor, seed in zip(run.targets, run.seeds, strict=True):
                if seed is not None:
                    found[tensor].append(End(position, tensor, seed))
        return found

    @cached_property
    def _found(self) -> dict[int, End]:
        """A gradient -> the tensor and the run that it is of: as the run found it, and as it was stored."""
        found: dict[int, End] = {}
        started: dict[int, tuple[int, BackwardStarted]] = {}
        for position, event in self._log.log.of_kind(BackwardStarted, BackwardFinished, GradientStored).items():
            if isinstance(event, BackwardStarted):
                started[event.run] = position, event
            elif event.run in started:
                begun, run = started[event.run]
                stored = isinstance(event, GradientStored)
                pairs = [(event.tensor, event.gradient)] if stored else zip(run.sources, event.gradients, strict=True)
                found.update({each: End(begun, tensor, each) for tensor, each in pairs if each is not None})
        return found
