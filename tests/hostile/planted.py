"""A program in which secrets are planted -> every file that tapeviz writes of it, and the secrets in its bytes.

What is compressed in a file is looked into as well.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.events import EventLog
from tests.hostile.exporters import EXPORTERS, Exporter

USER, FOLDER, FILE = "mallory", "confidential_project", "trainer.py"
VARIABLE, SETTING = "TAPEVIZ_PLANTED", "environment-secret"
VALUE, COMMENT, MESSAGE = 86753.0625, "comment-secret", "message-secret"
PROGRAM = f"""
import tapeviz as tv

def step(given, message, logs, **options):
    w = tv.Variable(given, name="w")
    with tv.record(**options) as log:
        logs.append(log)
        with tv.GradientTape() as tape:
            loss = tv.reduce_sum(w * w)  # {COMMENT}
        tape.gradient(loss, w)
        raise KeyError(message, float(given[0]))
"""


def planted(home: Path, **options: Any) -> EventLog:
    """The log of the program, which lies in a folder of the user's home, and ends with an error.

    It runs in a thread, where no line of this file leads to it.
    """
    path = home / FOLDER / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(PROGRAM, encoding="utf-8")
    namespace: dict[str, Any] = {"__name__": "planted"}
    exec(compile(PROGRAM, str(path), "exec"), namespace)
    logs: list[EventLog] = []
    with ThreadPoolExecutor(1) as pool:
        ended = pool.submit(namespace["step"], np.array([VALUE, VALUE]), MESSAGE, logs, **options).exception()
    assert isinstance(ended, KeyError)
    return logs[0]


SECRETS: dict[str, tuple[bytes, ...]] = {
    "user": (USER.encode(),),
    "environment": (SETTING.encode(),),
    "path": (FOLDER.encode(),),
    "line": (COMMENT.encode(),),
    "message": (MESSAGE.encode(),),
    "value": (
        *(str(VALUE).encode(), f"{VALUE:.6g}".encode(), str(int(VALUE)).encode()),
        *(np.array(VALUE, dtype).tobytes() for dtype in ("<f4", "<f8")),
        *(f"{VALUE**2:.6g}".encode(), f"{2 * VALUE:.6g}".encode()),
    ),
}
"""The bytes that each would be in a file."""
ALWAYS = ("user", "environment")
"""What is in no file."""
DATA, SOURCES = ("value", "message"), ("path", "line")
"""What `values="none"` leaves out, and what `sources=False` does."""
LEFT_OUT: tuple[tuple[dict[str, Any], tuple[str, ...]], ...] = (
    ({}, ()),
    ({"values": "none"}, DATA),
    ({"sources": False}, SOURCES),
    ({"values": "none", "sources": False}, DATA + SOURCES),
)
"""Options, and what they are to leave out."""


def content(path: Path) -> Iterator[bytes]:
    """The bytes of a file, and those that are packed in it."""
    data = path.read_bytes()
    yield data
    with suppress(BadZipFile), ZipFile(path) as archive:
        yield from map(archive.read, archive.namelist())
    for packed in re.findall(rb'id="tapeviz-packed">([^<"]*)<', data):
        yield zlib.decompress(base64.b64decode(packed))
    for packed in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", data, re.DOTALL):
        with suppress(zlib.error):
            yield zlib.decompress(packed)


def found_in(folder: Path, secrets: tuple[str, ...]) -> list[str]:
    """The secrets that are in the files of a folder."""
    return [
        f"{secret} in {path.parent.name}/{path.name}"
        for path in sorted(folder.iterdir())
        for secret in secrets
        if any(each in data for data in content(path) for each in SECRETS[secret])
    ]


def exports(folder: Path, exporters: Mapping[str, Exporter]) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Folders with everything that is written of the program, each with the secrets that it is to leave out.

    Options are given to what takes them; a log that was saved with them, and loaded, leaves the same out of all else.
    """
    home, numbers = folder / USER, count()
    log, valueless = planted(home), planted(home, values="none")
    for options, secrets in LEFT_OUT:
        target = _new(folder, next(numbers))
        saved = tv.save(log, target / "log.tape", **options)
        tv.save_html(log, target / "log.html", **options)
        yield target, secrets
        yield _exported(exporters, tv.load(saved), _new(folder, next(numbers))), secrets
    yield _exported(exporters, log, _new(folder, next(numbers))), ()
    yield _exported(exporters, valueless, _new(folder, next(numbers))), DATA


def _new(folder: Path, number: int) -> Path:
    target = folder / f"export{number}"
    target.mkdir()
    return target


def _exported(exporters: Mapping[str, Exporter], log: EventLog, target: Path) -> Path:
    for export in exporters.values():
        export(log, target)
    return target


def leaks(folder: Path, exporters: Mapping[str, Exporter] = EXPORTERS) -> list[str]:
    """The secrets that are in files that were to leave them out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder / USER))
        patch.setenv(VARIABLE, SETTING)
        return [
            each for target, secrets in exports(folder, exporters) for each in found_in(target, (*ALWAYS, *secrets))
        ]
