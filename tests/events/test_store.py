"""Logs in files: what is loaded shows what was saved, and a bad file is one clear error."""

from __future__ import annotations

import json
import os
import random
import tracemalloc
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.errors import LogError, LogFileError, TapevizError
from tapeviz.events import EventLog, LeafCreated
from tapeviz.events.store import archive, journal
from tapeviz.events.store.schema import SCHEMA
from tapeviz.events.summary import Summary
from tapeviz.events.values import HeldTensor
from tapeviz.live.debug import LiveDebugger
from tapeviz.views.payload import payload
from tests.events.log_files import BLOCK, HEAD, ROWS, claiming, members, rows_of, with_rows, write
from tests.events.stored import reloaded, views
from tests.literal_logs import Script
from tests.views.samples import LOGS
from tests.views.test_real_tapes import TAPES


def small() -> tv.GradientTape:
    x, w = tv.Variable([1.0, 2.0], name="x"), tv.Variable(3.0, name="w")
    with tv.GradientTape() as tape:
        y = tv.reduce_sum(x * x * w)
    tape.gradient(y, [x, w])
    return tape


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of `small`."""
    return tv.save(small(), tmp_path_factory.mktemp("good") / "small.tape")


# ----- what is loaded is what was saved -----


@pytest.mark.parametrize("program", TAPES)
def test_a_tape_that_is_read_again_has_the_same_views(program: Callable[[], tv.GradientTape], tmp_path: Path) -> None:
    log = program().log
    again = reloaded(log, tmp_path)
    assert views(again) == views(log)
    assert tv.draw(again).text == tv.draw(log).text
    assert tv.to_dot(again) == tv.to_dot(log)


@pytest.mark.parametrize("name", LOGS)
def test_views_of_literal_logs(name: str, tmp_path: Path) -> None:
    log = LOGS[name]()
    assert views(reloaded(log, tmp_path)) == views(log)


def test_everything_of_the_log_is_equal(tmp_path: Path) -> None:
    log = small().log
    again = reloaded(log, tmp_path)
    assert list(again.events) == list(log.events)
    assert list(again.tensors) == list(log.tensors)
    assert list(again.sites) == list(log.sites)
    assert list(again.scopes) == list(log.scopes)
    assert (again.framework, again.begins_late) == (log.framework, log.begins_late)
    for row in log.tensors:
        np.testing.assert_array_equal(again.value(row.id), log.value(row.id))
        assert type(again.value(row.id)) is type(log.value(row.id))


@pytest.fixture
def by_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Logs are written as long ones are: several events at a time, and many rows a line."""
    for name, count in (("FEW", 0), ("MANY", 5), ("ALONE", 0)):
        monkeypatch.setattr(journal, name, count)


@pytest.mark.usefixtures("by_columns")
@pytest.mark.parametrize("name", LOGS)
def test_a_log_by_columns_has_the_same_views(name: str, tmp_path: Path) -> None:
    log = LOGS[name]()
    again = reloaded(log, tmp_path)
    assert views(again) == views(log)
    assert list(again.events) == list(log.events)
    assert list(again.tensors) == list(log.tensors)
    assert tv.save(again, tmp_path / "again.tape").read_bytes() == tv.save(log, tmp_path / "log.tape").read_bytes()


@pytest.mark.usefixtures("by_columns")
def test_options_by_columns_stay_what_they_are(tmp_path: Path) -> None:
    """Equal ones of several types, which a table of them would have once."""
    log, x = Script(), None
    for option in (1, True, 1.0, 0.0, -0.0, float("inf"), 1 + 2j, "1", None, ((1,), (True,))):
        x = log.op("clip", log.variable("x") if x is None else x, attrs=(("option", option),))
    again = reloaded(log, tmp_path)
    assert [repr(event) for event in again.events] == [repr(event) for event in log.events]


def test_a_log_that_is_long_has_few_lines(tmp_path: Path) -> None:
    x = tv.Variable(1.0, name="x")
    with tv.GradientTape() as tape:
        y = x
        for _ in range(3_000):
            y = tv.sin(y)
    tape.gradient(y, x)
    rows = [entries[0] for entries in rows_of(tv.save(tape, tmp_path / "long.tape"))]
    assert len(rows) < len(tape.log.events) // 4
    assert sum(type(first) is list for first in rows) < 10
    again = tv.load(tmp_path / "long.tape")
    assert list(again.events) == list(tape.log.events)
    assert [again.value(row.id) for row in again.tensors] == [tape.log.value(row.id) for row in again.tensors]


@pytest.mark.slow
@pytest.mark.usefixtures("by_columns")
def test_columns_changed_at_random_are_refused_or_shown(tmp_path: Path) -> None:
    choose, lines = random.Random(5), rows_of(tv.save(small(), tmp_path / "good.tape"))
    for number in range(400):
        changed = json.loads(json.dumps(lines))
        lists = list(changed)
        for _ in range(choose.randrange(1, 5)):
            inner = [each for entry in lists for each in entry if isinstance(each, list) and each]
            lists = inner or lists
        entries = choose.choice(lists)
        entries[choose.randrange(len(entries))] = choose.choice(
            [None, -1, 0, 1, 3, 10**9, 1e300, "x", True, [], [0], [[1]], {"a": 1}, [[0], [0]], "VjpApplied"]
        )
        log = outcome(with_rows(tmp_path / "good.tape", tmp_path / f"{number}.tape", changed))
        if log is not None:
            with suppress(TapevizError):
                views(log)


def test_values_of_every_dtype(tmp_path: Path) -> None:
    values = [
        *(np.arange(6).reshape(2, 3).astype(name) for name in ("bool", "int8", "uint64", "float16", "complex64")),
        np.array([1.5, np.nan, -np.inf]),
        np.array([b"a", b"\xff\x00"], object),
        np.array(["one", "två"]),
        np.zeros((0, 4), np.float32),
        np.float32(2.5),
        np.arange(8.0)[::2],
    ]
    log = Script()
    for number, value in enumerate(values):
        log.constant(f"c{number}", value)
    again = reloaded(log, tmp_path)
    for number, value in enumerate(values):
        loaded = again.value(number)
        np.testing.assert_array_equal(loaded, log.value(number))
        assert (loaded.dtype, loaded.shape) == (log.value(number).dtype, value.shape)


def test_options_of_ops_that_json_has_not(tmp_path: Path) -> None:
    log, attrs = Script(), (("low", float("-inf")), ("pole", 1 + 2j), ("index", ((None, 2), "...", True)))
    log.op("clip", log.variable("x"), attrs=attrs)
    again = reloaded(log, tmp_path)
    assert list(again.events) == list(log.events)


def test_a_variable_keeps_its_history(tmp_path: Path) -> None:
    x = tv.Variable(2.0)
    with tv.record() as log, tv.GradientTape():
        x * 1.0
        x.assign(5.0)
        x * 1.0
    again = reloaded(log, tmp_path)
    assert [float(again.value(log.id_of(x), at)) for at in (0, len(log.events))] == [2.0, 5.0]


def test_what_the_budget_took_stays_a_summary(tmp_path: Path) -> None:
    x = tv.Variable(tv.ones(1000))
    with tv.record(max_bytes=10_000) as log, tv.GradientTape():
        for _ in range(20):
            x * 2.0
    again = reloaded(log, tmp_path)
    first = next(row.id for row in log.tensors if isinstance(log.value(row.id), Summary))
    assert again.value(first) == log.value(first)


class Foreign(HeldTensor):
    """A tensor of another framework; one that was changed since has nothing to read."""

    def read(self) -> Any:
        return self.tensor


@pytest.mark.parametrize("elements", [np.array([1.0, 2.0], np.float32), None])
def test_tensors_of_frameworks_are_read_when_they_are_saved(elements: Any, tmp_path: Path) -> None:
    log = EventLog()
    log.append("exp", (), 1, Foreign(elements, (2,), "bfloat16", 4), ())
    again = reloaded(log, tmp_path)
    np.testing.assert_array_equal(again.value(0), elements)
    assert again.tensors[0].dtype == "bfloat16"


def test_an_op_of_ones_own_keeps_its_formula(tmp_path: Path) -> None:
    thrice = tv.defop("thrice", lambda x: 3 * x, x=lambda g: 3.0 * g, formula="3 {x}", vjps={"x": "3 {g}"})
    x = tv.Variable(1.0, name="x")
    with tv.GradientTape() as tape:
        y = thrice(x)
    tape.gradient(y, x)
    shown = views(tape.log)
    path = tv.save(tape, tmp_path / "log.tape")
    tv.defop("thrice", lambda x: 3 * x, x=lambda g: 3.0 * g, formula="{x} + {x} + {x}")
    again = views(tv.load(path))
    assert again == shown
    assert "3 {g}" in tape.log.row("thrice").vjps["x"] or "thrice" in again["text"]


def test_equal_programs_save_equal_bytes(tmp_path: Path) -> None:
    first, second = (tv.save(small(), tmp_path / name).read_bytes() for name in ("a.tape", "b.tape"))
    assert first == second


def test_saving_again_what_was_loaded_gives_the_same_bytes(good: Path, tmp_path: Path) -> None:
    assert tv.save(tv.load(good), tmp_path / "again.tape").read_bytes() == good.read_bytes()


def test_a_failed_save_leaves_the_file_that_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tv.save(small(), tmp_path / "log.tape")
    before = path.read_bytes()
    log = small().log
    monkeypatch.setattr(log, "versions", lambda tensor: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        tv.save(log, path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_variable_that_held_a_part_of_what_it_is_has_no_value_before(tmp_path: Path) -> None:
    """As a parameter has whose elements are in a buffer of a library's now and then."""
    log = Script()
    log.append(LeafCreated, (), 1, ((2, 2), "float32"), ("variable", True, "w"))
    log.assign(1, None, np.ones(4, np.float32), ".data")
    again = reloaded(log, tmp_path)
    assert [since for since, _ in again.versions(0)] == [since for since, _ in log.versions(0)]
    assert again.value("w", 0) is None
    assert again.value("w", again.length).shape == (4,)


# ----- what can be left out, and what a file cannot do -----


def test_a_file_may_leave_the_values_out(tmp_path: Path) -> None:
    again = reloaded(small(), tmp_path, values="none")
    assert [row.role for row in again.tensors if again.value(row.id) is not None] == []
    assert BLOCK not in members(tmp_path / "log.tape")
    with pytest.raises(ValueError, match="values must be"):
        tv.save(small(), tmp_path / "log.tape", values="some")


def test_a_file_may_leave_the_sources_out(tmp_path: Path) -> None:
    again = reloaded(small(), tmp_path, sources=False)
    told = b"".join(members(tmp_path / "log.tape").values())
    assert b"reduce_sum(x * x" not in told
    assert b"events/" not in told
    assert {site.filename for site in again.sites} == {Path(__file__).name}
    assert again.source(Path(__file__).name) == []
    assert json.dumps(payload(again))


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="make it first"):
        tv.save(small(), tmp_path / "no" / "log.tape")


def test_a_loaded_log_is_asked_by_name_and_runs_nothing(good: Path) -> None:
    log = tv.load(good)
    with pytest.raises(LogError, match="Ask by name"):
        tv.why(log, tv.constant(1.0), "x")
    with pytest.raises(LogError, match="came from a file"):
        tv.check_step(log, 1)
    answers: list[Any] = []
    widget = LiveDebugger(log)
    widget.send = answers.append
    widget._hear(None, {"id": 7, "ask": "check", "run": 0, "step": 1}, None)
    assert "came from a file" in answers[0]["error"]


def test_the_source_of_a_file_is_never_looked_for_on_disk(good: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text("password\n")
    rows = [[*row[:1], str(secret), *row[2:]] if row[0] == "Site" else row for row in rows_of(good)]
    log = tv.load(with_rows(good, tmp_path / "log.tape", rows))
    assert log.source(str(secret)) == []
    assert "password" not in json.dumps(payload(log))


# ----- damaged files -----


def outcome(path: Path) -> EventLog | None:
    """What a file holds, None where it cannot be read; any other error is a failure."""
    told = ""
    try:
        return tv.load(path)
    except LogFileError as error:
        told = str(error)
    assert str(path) in told
    return None


def intact(path: Path, whole: EventLog) -> EventLog | None:
    """What is intact of a damaged file: the beginning of what was saved."""
    try:
        log = tv.load(path, partial=True)
    except LogFileError:
        return None
    ends = len(log.events), len(log.tensors)
    assert (list(log.events), list(log.tensors)) == (list(whole.events[: ends[0]]), list(whole.tensors[: ends[1]]))
    for row in log.tensors:
        if log.value(row.id) is not None:
            np.testing.assert_array_equal(log.value(row.id), whole.value(row.id))
    return log


@pytest.mark.slow
def test_a_file_cut_anywhere(good: Path, tmp_path: Path) -> None:
    data, path, whole = good.read_bytes(), tmp_path / "cut.tape", tv.load(good)
    told = []
    path.write_bytes(data)
    for length in reversed(range(len(data))):
        os.truncate(path, length)  # to write it anew takes far longer
        with pytest.raises(LogFileError, match=r"cut\.tape"):
            tv.load(path)
        log = intact(path, whole)
        told.append(0 if log is None else len(log.events))
        if log is not None:
            assert "damaged: " in repr(log)
    assert told == sorted(told, reverse=True)
    assert told[0] == len(whole.events)
    assert len(set(told)) > len(whole.events) // 2
    path.write_bytes(data + b"more")
    assert outcome(path) is None


@pytest.mark.slow
def test_a_bit_flipped_anywhere(good: Path, tmp_path: Path) -> None:
    data, path, whole = good.read_bytes(), tmp_path / "flipped.tape", tv.load(good)
    shown = views(whole)
    read = 0
    path.write_bytes(data)
    for at in range(len(data)):
        with path.open("r+b") as file:  # to write it anew takes far longer
            file.seek(max(at - 1, 0))
            file.write(data[max(at - 1, 0) : at] + bytes([data[at] ^ 1 << at % 8]))
        log = outcome(path)
        read += log is not None
        if log is not None:
            assert (list(log.events), list(log.tensors)) == (list(whole.events), list(whole.tensors))
            assert views(log) == shown if read % 20 == 0 else True
        intact(path, whole)
    assert read < len(data) // 4, "only what zip keeps beside the members may change unseen"


def test_what_is_left_of_a_cut_file_is_shown(good: Path, tmp_path: Path) -> None:
    data, path = good.read_bytes(), tmp_path / "cut.tape"
    for part in (0.4, 0.5, 0.6, 0.8):
        path.write_bytes(data[: int(len(data) * part)])
        assert set(views(tv.load(path, partial=True))) == set(views(small().log))


@pytest.mark.slow
def test_rows_changed_at_random_are_refused_or_shown(good: Path, tmp_path: Path) -> None:
    choose, rows = random.Random(3), rows_of(good)
    for number in range(400):
        changed = json.loads(json.dumps(rows))
        row = choose.choice(changed)
        slot = choose.randrange(len(row))
        row[slot] = choose.choice([None, -1, 0, 1, 3, 10**9, 1e300, "x", True, [], [0], [[1]], {"a": 1}, [None, 2]])
        log = outcome(with_rows(good, tmp_path / f"{number}.tape", changed))
        if log is not None:
            with suppress(TapevizError):
                views(log)


@pytest.mark.parametrize(
    "row",
    [
        ["TapeClosed"],
        ["TapeClosed", 1, 2],
        ["TapeClosed", True],
        ["TapeClosed", "0"],
        ["TapeClosed", -1],
        ["NoSuchThing", 1],
        ["OpRecorded", "exp", [10**9], [0], [], [], [], None, None],
        ["OpRecorded", "exp", [0], [0], [], [], [[0, "perhaps"]], None, None],
        ["OpRecorded", "exp", [0], [0], [["a", {"float": "1.5"}]], [], [], None, None],
        ["ReadOut", 0, ".numpy()", 10**6, None],
        ["VjpApplied", 0, 0, [0], [0]],
        ["VjpApplied", 0, 10**6, [], []],
        ["BackwardStarted", 9, 0, [0], [0], [], None],
        ["BackwardStarted", 9, 0, [0], [0], [None], None, True],
        ["BackwardStarted", 9, 0, [0], [0], [None], None, -1],
        ["BackwardStarted", 9, 0, [0], [0], [None], None, None, 2],
        ["BackwardStarted", 9, 0, [0], [0], [None], None, None, None, None],
        ["BackwardFinished", 77, [0]],
        ["Scope", 3, "f", None],
        ["TensorInfo", 3, [], "float32", "variable", None],
        ["Numbers", 0, 0, "object", [1], 0, 0],
        ["Numbers", 0, 0, "float32", [1 << 29], 0, 0],
        ["Numbers", 0, 0, "float32", [-1], 0, 0],
        ["Numbers", 0, 0, "float32", [1], 0, -4],
        ["Numbers", 0, 0, "float32", [1], 99, 0],
        ["Numbers", 0, 0, "float32", [1 << 62, 1 << 62, 0], 0, 0],
        ["Words", 0, 0, "O", True, [3], ["a"]],
        ["Words", 0, 0, "O", True, [1], ["ф"]],
        "[" * 100_000,
        "[1e999",
        "9" * 10_000,
        '["TapeClosed",' + "9" * 10_000 + "]",
        "\\xff",
        "{}",
        "",
    ],
    ids=lambda row: str(row)[:48],
)
def test_a_row_that_is_wrong(row: Any, good: Path, tmp_path: Path) -> None:
    path = with_rows(good, tmp_path / "wrong.tape", [*rows_of(good), row])
    with pytest.raises(LogFileError, match=r"damaged: (rows/|values)"):
        tv.load(path)
    assert list(tv.load(path, partial=True).events) == list(tv.load(good).events)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (["OpRecorded", "exp", [4], [2], [], [0], [[0, "recorded"]], None, None], "makes tensor 2, which was there"),
        (["OpRecorded", "exp", [4], [4], [], [0], [[0, "recorded"]], None, None], "makes tensor 4, which was there"),
        (["OpSkipped", "exp", [4], [0], [["stop", "x"]], [], None, None], "makes tensor 0, which was there"),
        (["BackwardStarted", 0, 0, [4], [0], [5], None, None, None], "run 0 in the place of 1"),
        (["BackwardStarted", 1, 0, [4], [0], [5, 5], None, None, None], "more or fewer seeds than targets"),
        (["BackwardStarted", 1, 0, [4], [0], [5], None, -1, None], "a Jacobian of -1 rows"),
        (["BackwardFinished", 0, [11], False], "more or fewer gradients than sources"),
        (["BackwardFinished", 0, [8, 11], False], r"gradients of tensor 0 of shapes \(2,\) and \(\)"),
        (["CotangentAccumulated", 0, 0, [9, 8], 11], r"gradients of tensor 0 of shapes \(2,\) and \(\)"),
        (["VjpApplied", 0, 7, [11], [6]], r"gradients of tensor 4 of shapes \(\) and \(2,\)"),
    ],
    ids=str,
)
def test_a_row_that_does_not_fit_those_before_it(row: Any, reason: str, good: Path, tmp_path: Path) -> None:
    """Each is as the types of its fields say; only what the whole log means refuses it."""
    path = with_rows(good, tmp_path / "unfit.tape", [*rows_of(good), row])
    with pytest.raises(LogFileError, match=f"damaged: rows/.*{reason}"):
        tv.load(path)
    assert list(tv.load(path, partial=True).events) == list(tv.load(good).events)


def test_the_first_value_of_a_tensor_has_its_shape(good: Path, tmp_path: Path) -> None:
    new = ["TensorInfo", 12, [], "float32", "constant", "c"]
    value = ["Numbers", 12, 0, "float32", [2], 0, 0]
    with pytest.raises(LogFileError, match=r"damaged: rows/.*a value of shape \(2,\) for tensor 12"):
        tv.load(with_rows(good, tmp_path / "unfit.tape", [*rows_of(good), new, value]))


def test_a_file_of_the_schema_before_is_read(good: Path, tmp_path: Path) -> None:
    """`BackwardStarted` had neither `rows` nor `again`, and two entries less."""
    older = [row[:-2] if row[0] == "BackwardStarted" else row for row in rows_of(good)]
    assert older != rows_of(good)
    parts = members(with_rows(good, tmp_path / "rows.tape", older))
    head = json.loads(parts[HEAD]) | {"schema": 1}
    path = write(tmp_path / "older.tape", (parts | {HEAD: json.dumps(head).encode()}).items())
    assert list(tv.load(path).events) == list(tv.load(good).events)


def test_members_that_are_wrong(good: Path, tmp_path: Path) -> None:
    parts, path = members(good), tmp_path / "wrong.tape"
    for name in ("../../rows/00000.jsonl", "/etc/passwd", "rows/00001.jsonl", "x" * 200):
        write(path, [(HEAD, parts[HEAD]), (name, parts[ROWS])])
        assert outcome(path) is None
    write(path, [(HEAD, parts[HEAD]), (BLOCK, parts[BLOCK]), (ROWS, parts[ROWS])])
    assert outcome(path) is None
    write(path, [(HEAD, parts[HEAD]), (ROWS, parts[ROWS])])
    assert outcome(path) is None
    write(path, [(ROWS, parts[ROWS]), (HEAD, parts[HEAD])])
    assert outcome(path) is None


@pytest.mark.parametrize(("limit", "least"), [("ZIP_FILECOUNT_LIMIT", 1), ("ZIP64_LIMIT", 3000)])
def test_a_file_with_more_than_an_old_zip_file_has_room_for(
    limit: str, least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one of more than 2 GiB, or of more than 65,535 members: ZIP64, which begins earlier here."""
    written, path = [(f"part{number}", bytes([number]) * 2000) for number in range(4)], tmp_path / "large.zip"
    monkeypatch.setattr(zipfile, limit, least)
    archive.write(path, written, ())
    content = path.read_bytes()
    assert b"PK\x06\x06" in content
    with path.open("rb") as file:
        assert [each[:2] for each in archive.read(file)] == written
    for change in range(1, 98):  # nothing in the ends is taken on trust
        wrong = bytearray(content)
        wrong[-change] ^= 1
        path.write_bytes(wrong)
        with path.open("rb") as file, pytest.raises(archive.Damage):
            list(archive.read(file))


def test_numbers_of_a_large_file_are_told_where_there_is_room(tmp_path: Path) -> None:
    """5 GiB of nothing, of which only the end is read."""
    path, table = tmp_path / "sparse.zip", 5 << 30
    with zipfile.ZipFile(path, "w") as made:
        made.start_dir = table
        made.writestr("last", b"x")
    with path.open("rb") as file:
        file.seek(table)
        assert [each.name for each in archive.read(file)] == ["last"]


@pytest.mark.parametrize("content", [b"", b"PK", b"not a log at all", b"\x80\x04\x95pickle", b"\0" * 4096])
def test_no_log_at_all(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "stranger.tape"
    path.write_bytes(content)
    for partial in (False, True):
        with pytest.raises(LogFileError, match="not a tapeviz log file"):
            tv.load(path, partial=partial)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        tv.load(tmp_path / "none.tape")
    with pytest.raises(LogFileError, match="not a tapeviz log file"):
        tv.load("/dev/zero")


@pytest.mark.parametrize(
    ("head", "advice"),
    [
        ({"format": "tapeviz log", "schema": SCHEMA + 1}, "newer tapeviz .* upgrade"),
        ({"format": "tapeviz log", "schema": 1, "framework": 3, "begins_late": False}, "not a tapeviz log file"),
        ({"format": "another log", "schema": 1}, "not a tapeviz log file"),
        ([1], "not a tapeviz log file"),
    ],
)
def test_a_head_that_is_none_is_refused(head: Any, advice: str, good: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "head.tape", (members(good) | {HEAD: json.dumps(head).encode()}).items())
    with pytest.raises(LogFileError, match=advice):
        tv.load(path, partial=True)


BOMBS = {
    "a row of lists": b"[" + b"[]," * (30 << 20) + b"[]]\n",
    "a long text": b'["ErrorRaised","' + b"a" * (100 << 20) + b'","",null]\n',
    "many rows": b'["TapeClosed",0]\n' * (6 << 20),
    "spaces": b" " * (100 << 20),
}


@pytest.mark.parametrize("name", BOMBS)
@pytest.mark.parametrize("claim", ["true", "small", "huge"])
def test_a_bomb_costs_little(name: str, claim: str, good: Path, tmp_path: Path) -> None:
    bomb = BOMBS[name]
    head = write(tmp_path / "head.zip", [(HEAD, members(good)[HEAD])]).read_bytes()
    length = {"true": len(bomb), "small": 1000, "huge": (1 << 31) - 1}[claim]
    path = tmp_path / "bomb.tape"
    path.write_bytes(head[: head.index(b"PK\x01\x02")] + claiming(ROWS, bomb, length))
    tracemalloc.start()
    assert outcome(path) is None
    assert tracemalloc.get_traced_memory()[1] < 40 << 20
    tracemalloc.stop()


def test_a_claim_of_two_gigabytes_is_not_believed(good: Path, tmp_path: Path) -> None:
    head = write(tmp_path / "head.zip", [(HEAD, members(good)[HEAD])]).read_bytes()
    path = tmp_path / "claim.tape"
    path.write_bytes(head[: head.index(b"PK\x01\x02")] + claiming(ROWS, b"x", 1 << 20, packed=(1 << 31) - 1))
    tracemalloc.start()
    assert outcome(path) is None
    assert tracemalloc.get_traced_memory()[1] < 4 << 20
    tracemalloc.stop()


# ----- logs of frameworks -----


@pytest.mark.torch
def test_a_torch_log(tmp_path: Path) -> None:
    import torch

    torch.manual_seed(0)
    embedding, norm = torch.nn.Embedding(10, 4), torch.nn.LayerNorm(4)
    optimizer = torch.optim.Adam([*embedding.parameters(), *norm.parameters()])
    with tv.record() as log:
        for _ in range(2):
            optimizer.zero_grad()
            h = norm(embedding(torch.tensor([1, 2, 2])))
            odd = h.to(torch.bfloat16).sum() + h.half().sum() + torch.complex(h, h).abs().sum()
            (odd + (h > 0).float().mul_(2.0).sum()).float().backward()
            optimizer.step()
    assert views(reloaded(log, tmp_path)) == views(log)


@pytest.mark.tensorflow
def test_a_tensorflow_log(tmp_path: Path) -> None:
    import tensorflow as tf

    table = tf.Variable(tf.reshape(tf.range(12.0), [4, 3]), name="table")
    with tv.record() as log:
        with tf.GradientTape(persistent=True) as tape:
            rows = tf.gather(table, [1, 2, 2])
            words = tf.constant(["a", "b"])
            loss = tf.reduce_sum(tf.cast(tf.cast(rows, tf.bfloat16), tf.float32) ** 2) + float(tf.shape(words)[0])
        tape.gradient(loss, table)
        tape.jacobian(rows, table)
    assert views(reloaded(log, tmp_path)) == views(log)


@pytest.mark.jax
def test_a_jax_log(tmp_path: Path) -> None:
    import jax.numpy as jnp

    log = tv.record_jax(lambda w, x: jnp.sum(jnp.tanh(x @ w) ** 2), jnp.ones((3, 2)), jnp.ones((4, 3)))
    assert views(reloaded(log, tmp_path)) == views(log)
