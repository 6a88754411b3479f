"""Logs of ranks, which are read as far as someone asks: what is asked is what a log that is read as a whole says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.errors import LogFileError
from tapeviz.events import EventLog, LeafCreated, OpRecorded, types
from tapeviz.events.store.journal import FEW, MANY
from tapeviz.events.store.load import load_file
from tapeviz.events.store.ranks import rank_file
from tests.events.log_files import members, rows_of, with_rows, write
from tests.literal_logs import Script
from tests.views.samples import LOGS

OPS = FEW + MANY + 100
"""More than come one by one, and more than are in one line."""


def long_log(ops: int = OPS) -> EventLog:
    """A chain of ops, so that rows come one by one and many a line."""
    x = tv.Variable([1.0, 2.0], name="x")
    with tv.GradientTape() as tape:
        y = x * 1.0
        for _ in range(ops // 2):
            y = tv.sin(y) * 1.0
    tape.gradient(y, x)
    x.assign([3.0, float("nan")])
    return tape.log


@pytest.fixture(scope="module", params=["long", *LOGS])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of one log."""
    place = tmp_path_factory.mktemp("ranks")
    tv.save(long_log() if request.param == "long" else LOGS[request.param](), rank_file(place, 0))
    return place


def asked(log: EventLog) -> Iterator[Any]:
    """What may be asked of a log without its events in order."""
    yield log.length
    yield log.begins_late
    for kind in get_args(types.Event):
        yield dict(log.of_kind(kind))
    yield dict(log.of_kind(OpRecorded, LeafCreated))
    yield list(log.tensors)
    yield list(log.sites)
    yield list(log.scopes)
    for row in log.tensors:
        yield [since for since, _ in log.versions(row.id)]
        yield [np.asarray(value).tolist() if value is not None else None for _, value in log.versions(row.id)]
    yield log.norms(range(len(log.tensors)))


def test_it_says_what_the_whole_says(folder: Path) -> None:
    log, whole = tv.load(folder)[0], load_file(rank_file(folder, 0))
    for one, other in zip(asked(log), asked(whole), strict=True):
        np.testing.assert_equal(one, other)
    assert "events" not in vars(log._read())  # which would have read all of it
    assert list(log.events) == list(whole.events)


def test_a_damaged_rank_is_one_clear_error_when_it_is_asked(tmp_path: Path) -> None:
    good = tv.save(long_log(4), tmp_path / "good.tape")
    rows = rows_of(good)
    at = next(at for at, row in enumerate(rows) if row[0] == "OpRecorded")
    with_rows(good, rank_file(tmp_path, 0), [*rows[:at], [*rows[at][:2], [1 << 20], *rows[at][3:]], *rows[at + 1 :]])
    log = tv.load(tmp_path)[0]
    with pytest.raises(LogFileError, match=r"rank-0\.tape is damaged.*its first"):
        log.of_kind(OpRecorded)
    assert len(tv.load(tmp_path, partial=True)[0].of_kind(LeafCreated)) == 1


def test_a_rank_whose_file_is_cut_short_is_an_error_at_once(tmp_path: Path) -> None:
    path = tv.save(long_log(), rank_file(tmp_path, 0))
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(LogFileError, match="cut short"):
        tv.load(tmp_path)
    assert tv.load(tmp_path, partial=True)[0].damage


def test_a_file_of_another_form_is_read_as_a_whole(tmp_path: Path) -> None:
    """Lines with spaces, which no writer of ours writes, are JSON as well."""
    good = tv.save(long_log(4), tmp_path / "good.tape")
    spaced = "".join(f"{json.dumps(row)} \n" for row in rows_of(good))
    parts = {name: spaced.encode() if name.startswith("rows/") else data for name, data in members(good).items()}
    write(rank_file(tmp_path, 0), parts.items())
    assert dict(tv.load(tmp_path)[0].of_kind(OpRecorded)) == dict(load_file(good).of_kind(OpRecorded))


def chain(ops: int, odd: tuple[str, Any] = ("sin", True), last: float = 1.0) -> EventLog:
    """Ops one after the other, one of which may be another, or have an option that is equal and of another type."""
    log = Script()
    y = log.variable("x", [1.0, 2.0])
    with log.tape(watch=[y]):
        for number in range(ops):
            op, option = odd if number == ops - 50 else ("sin", True)
            y = log.op(op, y, value=[last, number], attrs=[("by", option)])
    return log


def test_ranks_that_are_mostly_alike_say_what_each_says_alone(tmp_path: Path) -> None:
    logs = (chain(OPS), chain(OPS, last=2.0), chain(OPS, ("cos", True)), chain(OPS, ("sin", 1)), chain(OPS - 90))
    for rank, log in enumerate(logs):
        tv.save(log, rank_file(tmp_path, rank))
    ranks = tv.load(tmp_path)
    for rank, log in ranks.items():
        alone = load_file(rank_file(tmp_path, rank))
        for one, other in zip(asked(log), asked(alone), strict=True):
            np.testing.assert_equal(one, other)
        assert repr(log.events) == repr(alone.events)  # which tells True and 1 apart
    first, second, other = (list(ranks[rank].of_kind(OpRecorded).values()) for rank in range(3))
    assert all(one is two for one, two in zip(first, second, strict=True))
    assert sum(one is not two for one, two in zip(first, other, strict=True)) == 1
