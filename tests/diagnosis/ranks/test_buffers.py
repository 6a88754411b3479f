"""Buffers of several ranks on literal logs: which of them drift apart, and between which ranks."""

from __future__ import annotations

import dis
from collections.abc import Sequence

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.events import BuffersMeasured, EventLog
from tapeviz.events.raw import IN_PLACE, next_id
from tapeviz.events.store.ranks import Ranks

WORLD = "world"


def rank_log(norms: Sequence[float], group: str | None = WORLD, names: tuple[str, ...] = ("norm.mean",)) -> EventLog:
    """A rank that gathers parameters with a group, and of whose buffer each call meets another norm."""
    log = EventLog(framework="torch")
    if group is not None:
        about = (("group", group), ("ranks", 2))
        log.raw += ("fsdp.all_gather", (next_id(),), next_id(), ((2,), "float32"), about, (), (), None, None, -1)
    for each in norms:
        log.append(BuffersMeasured, (None,) * len(names), None, log.keep(np.full(len(names), each)), names)
    return log


def said(*logs: EventLog) -> list[str]:
    """What is said of the buffers of ranks."""
    found = tv.diagnose(Ranks(dict(enumerate(logs))))
    return [each.message for each in found if each.cause == "buffer_drifted_apart"]


def test_a_buffer_drifts_from_the_call_on_that_does_not_find_it_the_same() -> None:
    [message] = said(rank_log([0.0, 1.0, 2.0]), rank_log([0.0, 1.0, 2.5]))
    assert message.startswith("`norm.mean` is not the same on all ranks")
    assert "2 on rank 0 and 2.5 on rank 1 in the end" in message
    assert "what changes it is not in the logs" in message


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param([0.0, 1.0, 2.0], [0.0, 1.0, 2.0], id="the same"),
        pytest.param([0.0, 1.0, 2.0], [0.0, 1.000001, 2.000001], id="but for roundings"),
        pytest.param([0.0, np.nan, np.nan], [0.0, np.nan, np.inf], id="none is finite"),
        pytest.param([0.0, 1.0, 3.0, 4.0], [0.0, 2.0, 3.0, 5.0], id="made the same now and then"),
        pytest.param([1.0, 2.0, 3.0], [2.0, 3.0, 4.0], id="a rank's own from the start"),
        pytest.param([0.0, 1.0], [0.0], id="called once"),
    ],
)
def test_a_buffer_does_not(one: list[float], other: list[float]) -> None:
    assert said(rank_log(one), rank_log(other)) == []


def test_ranks_that_train_nothing_together_are_not_compared() -> None:
    assert said(rank_log([0.0, 1.0], None), rank_log([0.0, 2.0], None)) == []


def test_only_ranks_of_one_group_are_compared() -> None:
    """Two stages of a pipeline have buffers of one name, each stage on two ranks."""
    stages = [rank_log([0.0, 1.0], "0, 1"), rank_log([0.0, 1.0], "0, 1")]
    other = [rank_log([5.0, 6.0], "2, 3"), rank_log([5.0, 6.0], "2, 3")]
    assert said(*stages, *other) == []
    [message] = said(*stages, other[0], rank_log([5.0, 7.0], "2, 3"))
    assert "6 on rank 2 and 7 on rank 3" in message


def test_groups_that_have_a_rank_in_common_train_one_model() -> None:
    logs = [rank_log([0.0, 1.0 + (rank == 3)], "0, 1" if rank < 2 else "2, 3") for rank in range(4)]
    assert len(said(*logs)) == 1
    for log, group in zip(logs, ("0, 2", "1, 3") * 2, strict=True):
        about = (("group", group), ("ranks", 2))
        log.raw += ("dtensor.redistribute", (next_id(),), next_id(), ((2,), "float32"), about, (), (), None, None, -1)
    [message] = said(*logs)
    assert "1 on rank 0 and 2 on rank 3" in message


def test_where_buffers_part_they_are_told_once() -> None:
    names = ("first.mean", "last.mean")
    [message] = said(rank_log([0.0, 1.0], names=names), rank_log([0.0, 2.0], names=names))
    assert message.startswith("`first.mean` and `last.mean` are not the same")


def written(norms: Sequence[float], line: int) -> EventLog:
    """A rank that writes its buffer in place after each call, at a line."""
    log = rank_log([])
    buffer = next_id()
    code = compile("\n" * (line - 1) + "scale.mul_(0.9)", "train.py", "exec")
    called = next(each.offset for each in dis.get_instructions(code) if each.opname == "CALL")
    for norm in norms:
        log.append(BuffersMeasured, (buffer,), None, log.keep(np.full(1, norm)), ("scale",))
        before, buffer = buffer, next_id()
        value = (2,), "float32"
        log.raw += ("mul", (before, np.float64(0.9)), buffer, value, (IN_PLACE,), (), (), None, code, called)
    return log


def test_ranks_that_write_at_lines_of_their_own_are_told_apart() -> None:
    [message] = said(written([0.0, 1.0, 1.0], 3), written([0.0, 1.0, 2.0], 3))
    assert "each rank writes it at train.py, line 3" in message
    [message] = said(written([0.0, 1.0, 1.0], 3), written([0.0, 1.0, 2.0], 5))
    assert "rank 0 writes it at train.py, line 3 and rank 1 writes it at" in message
    [message] = said(rank_log([0.0, 1.0, 1.0], names=("scale",)), written([0.0, 1.0, 2.0], 5))
    assert "rank 1 writes it at train.py, line 5" in message
