"""A log file, a seed -> the same file edited or damaged; and what every verb says of it."""

from __future__ import annotations

import io
import json
import random
import re
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

import tapeviz as tv
from tapeviz.errors import LogError, LogFileError
from tapeviz.events import EventLog
from tapeviz.phrases import NO_GRADIENT
from tapeviz.replay import runs
from tests.events.log_files import ROWS, members, rows_of, with_rows, write
from tests.hostile.exporters import history_of

DEEP = ("(" * 400, "-" * 3_000 + "x", "a." * 3_000 + "a", "[" * 90 + "]" * 90, "f(" * 300 + ")" * 300)
ENTRIES: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 2, 3, 5, 10**9, 10**30, 1e300, -0.0, "", " ", "x", "w", "\ud800", "\udce9.py", "\x00"),
    *("</script>", "`", "ü" * 50, "a" * 5000, *DEEP, [], [0], [1, 1], [[1]], [[[[[[[]]]]]]], [0] * 50, [None], [-3]),
    *({"a": 1}, {"float": "nan"}, {"float": "x"}, {"complex": [1, 2]}, ["a", "b"], [["axis", 0]], [["axis", None]]),
    *("float32", "int64", "bool", "string", "unknown", "f4,f4", "(3,)f4", "variable", "literal", "cotangent"),
)
"""What is put in the place of an entry, whatever that was."""
STEP_ERRORS = r"step|rule|run \d+|No gradient"
"""What verbs say of a log that has no such step or run, or of which no gradient was taken, as they do of any log."""


def edited(source: Path, target: Path, seed: int) -> Path:
    """The file with some of its rows changed, in the form of a log."""
    choose, rows = random.Random(seed), rows_of(source)
    for _ in range(choose.choice((1, 1, 1, 2, 4))):
        if rows:
            choose.choice((_change, _change, _change, _swap, _drop, _double, _point_elsewhere))(choose, rows)
    return with_rows(source, target, rows)


def _change(choose: random.Random, rows: list[Any]) -> None:
    """Most often by one of the same type, which is looked into no further than its field's type has it."""
    row = choose.choice(rows)
    at = choose.randrange(1, len(row)) if len(row) > 1 else 0
    alike = [each for each in ENTRIES if type(each) is type(row[at])]
    row[at] = choose.choice(alike if alike and choose.randrange(4) else ENTRIES)


def _swap(choose: random.Random, rows: list[Any]) -> None:
    """Two rows of one kind change an entry."""
    one = choose.choice(rows)
    other = choose.choice([row for row in rows if row[0] == one[0]])
    at = choose.randrange(min(len(one), len(other)))
    one[at], other[at] = other[at], one[at]


def _drop(choose: random.Random, rows: list[Any]) -> None:
    del rows[choose.randrange(len(rows))]


def _double(choose: random.Random, rows: list[Any]) -> None:
    rows.insert(choose.randrange(len(rows) + 1), json.loads(json.dumps(choose.choice(rows))))


def _point_elsewhere(choose: random.Random, rows: list[Any]) -> None:
    """An id that is in a list is another one, which there may well be."""
    lists = [entry for row in rows for entry in row if isinstance(entry, list) and entry]
    if lists:
        found = choose.choice(lists)
        found[choose.randrange(len(found))] = choose.randrange(12)


def mutated(source: Path, target: Path, seed: int) -> Path:
    """The file with some of its bytes changed, cut out or moved, in any form."""
    choose, data = random.Random(seed), bytearray(source.read_bytes())
    for _ in range(choose.choice((1, 1, 2, 8))):
        start, length = choose.randrange(len(data)), choose.randrange(1, 64)
        piece = data[start : start + length]
        match choose.randrange(4):
            case 0:
                data[start] ^= 1 << choose.randrange(8)
            case 1 if len(data) > 200:
                del data[start : start + length]
            case 2:
                data[start : start + length] = choose.randbytes(length)
            case _:
                at = choose.randrange(len(data))
                data[at:at] = piece
    if choose.randrange(4) == 0:  # a member whose checksum is right again
        rows = bytearray(members(source)[ROWS])
        rows[choose.randrange(len(rows))] = choose.randrange(256)
        return write(target, (members(source) | {ROWS: bytes(rows)}).items())
    target.write_bytes(data)
    return target


def _whys(log: EventLog) -> Iterator[Any]:
    for run in runs(log)[:2]:
        for source in run.sources[:3]:
            names = log.tensors[run.targets[0]].name if run.targets else None, log.tensors[source].name
            if all(names):
                yield str(tv.why(log, *names))


def shown(log: EventLog) -> str:
    """What `show` prints."""
    with redirect_stdout(io.StringIO()) as told:
        tv.show(log)
    return told.getvalue()


VERBS: dict[str, Callable[[EventLog, Path], Any]] = {
    "check_step": lambda log, folder: tv.check_step(log, 1),
    "compare": lambda log, folder: (str(tv.compare(log, log)), tv.compare(log, log).html()),
    "debug": lambda log, folder: tv.debug(log),
    "depth": lambda log, folder: str(tv.depth(log)),
    "diagnose": lambda log, folder: (str(tv.diagnose(log)), tv.diagnose(log)._repr_html_().encode()),
    "draw": lambda log, folder: tv.draw(log, folder / "log.svg"),
    "export trace": lambda log, folder: tv.export(log, folder / "trace.json"),
    "export graph": lambda log, folder: tv.export(log, folder / "graph.json", format="model_explorer"),
    "export netron": lambda log, folder: tv.export(log, folder / "graph.netron"),
    "frames": lambda log, folder: tv.frames(log, folder),
    "history": lambda log, folder: (history_of(log).table(), history_of(log).plot(Figure().subplots())),
    "plot": lambda log, folder: tv.plot(log, axes=Figure().subplots(1, 3)),
    "repr": lambda log, folder: json.dumps(log._repr_mimebundle_(), ensure_ascii=False).encode(),
    "save": lambda log, folder: tv.load(tv.save(log, folder / "again.tape")),
    "save bare": lambda log, folder: tv.load(tv.save(log, folder / "bare.tape", values="none", sources=False)),
    "save_html": lambda log, folder: tv.save_html(log, folder / "log.html"),
    "save_html bare": lambda log, folder: tv.save_html(log, folder / "bare.html", values="none", sources=False),
    "show": lambda log, folder: shown(log).encode(),
    "table": lambda log, folder: (str(tv.table(log)).encode(), tv.table(log).html().encode()),
    "to_dot": lambda log, folder: tv.to_dot(log).encode(),
    "why": lambda log, folder: list(_whys(log)),
}
"""Every verb that takes a log; pictures of pixels are those of `draw` and `frames`, painted."""


def answers(path: Path, folder: Path) -> Iterator[tuple[str, float, Exception | None]]:
    """What loading a file, and each verb then, came to: its name, its seconds, and an error that is no answer."""
    took, error, log = _asked(lambda: tv.load(path))
    yield "load", took, None if isinstance(error, LogFileError) else error
    for verb, ask in VERBS.items() if log is not None else ():
        took, error, _ = _asked(lambda ask=ask: ask(log, folder))
        yield verb, took, None if error is None or is_answer(error) else error


def is_answer(error: Exception) -> bool:
    """Whether an error is one that a log may be answered with."""
    if isinstance(error, LogError):
        return True
    is_said = type(error) in (ValueError, IndexError) and re.search(STEP_ERRORS, str(error)) is not None
    return is_said or NO_GRADIENT in str(error)


def _asked(call: Callable[[], Any]) -> tuple[float, Exception | None, Any]:
    started = time.process_time()
    try:
        result = call()
    except Exception as error:
        return time.process_time() - started, error, None
    return time.process_time() - started, None, result
