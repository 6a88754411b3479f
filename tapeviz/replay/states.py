"""A Run -> Tracks: how each op and each tensor of a picture looks, step by step.

A track is the list of states of one op or tensor over the steps, as keyframes (step, state).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tapeviz.events import EventLog
from tapeviz.replay.backward import Run, forward, op_at

State: TypeAlias = Literal["waiting", "reached", "active", "done"]
"""waiting: no gradient yet; reached: some has arrived; active: this step's; done: all has."""

Track: TypeAlias = tuple[tuple[int, State], ...]


@dataclass(frozen=True, slots=True)
class Tracks:
    """How a picture changes over the steps of a run. What it does not contain was never reached.

    Attributes:
        ops: the track of each op, by its position.
        tensors: for each tensor, the steps at which a gradient arrives; 0 for a seed.
        arguments: by the position of an op and a slot, the step at which a gradient is sent to that argument.
    """

    ops: dict[int, Track]
    tensors: dict[int, tuple[int, ...]]
    arguments: dict[tuple[int, int], int]


def tracks(log: EventLog, run: Run) -> Tracks:
    """How the picture changes over the steps of a run."""
    producers = {output: at for at in forward(log) for output in op_at(log, at).outputs}
    reached: dict[int, int] = {}
    ops: dict[int, Track] = {}
    arrivals: defaultdict[int, list[int]] = defaultdict(list)
    arguments: dict[tuple[int, int], int] = {}
    for target in run.targets:
        arrivals[target].append(0)
        reached.setdefault(producers.get(target, -1), 0)
    for number, step in enumerate(run.steps, 1):
        ops[step.op] = _frames(
            (0, "waiting"), (reached.get(step.op, 0), "reached"), (number, "active"), (number + 1, "done")
        )
        for each in step.contributions:
            arrivals[each.tensor].append(number)
            reached.setdefault(producers.get(each.tensor, -1), number)
            arguments[step.op, each.slot] = number
    for op, number in reached.items():
        if op >= 0 and op not in ops:
            ops[op] = _frames((0, "waiting"), (number, "reached"))
    return Tracks(ops, {tensor: tuple(steps) for tensor, steps in arrivals.items()}, arguments)


def tensor_track(steps: Sequence[int], last: int | None = None) -> Track:
    """The track of a tensor at which gradients arrive in these steps, in order; it is done after step `last`."""
    last = steps[-1] if last is None else last
    frames: list[tuple[int, State]] = [(0, "waiting")]
    for number in steps:
        frames += [(number, "active" if number else "reached"), (number + 1, "reached")]
    return _frames(*frames, (last + 1, "done"))


def joint_track(parts: Sequence[Track]) -> Track:
    """The track of ops that are drawn as one: reached with the first, active with each, and done after the last."""
    reached = min((step for track in parts for step, state in track if state == "reached"), default=0)
    active = sorted(step for track in parts for step, state in track if state == "active")
    frames: list[tuple[int, State]] = [(0, "waiting"), (reached, "reached")]
    for step in active:
        frames += [(step, "active"), (step + 1, "reached")]
    if active:
        frames.append((active[-1] + 1, "done"))
    return _frames(*frames)


def _frames(*frames: tuple[int, State]) -> Track:
    """Keyframes without repeated states; of several keyframes for one step, the last one counts."""
    by_step = dict(frames)
    kept: list[tuple[int, State]] = []
    for step in sorted(by_step):
        if not kept or kept[-1][1] != by_step[step]:
            kept.append((step, by_step[step]))
    return tuple(kept)
