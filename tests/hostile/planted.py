"""A program in which secrets are planted -> every file that tapeviz writes of it, and the secrets in its bytes.

What is compressed in a file is looked into as well.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.events import EventLog
from tests.hostile.exporters import EXPORTERS

USER, FOLDER, FILE = "mallory", "confidential_project", "trainer.py"
VARIABLE, SETTING = "TAPEVIZ_PLANTED", "environment-secret"
VALUE, LINE, MESSAGE = 86753.0625, "a_line_that_is_secret", "message-secret"
PROGRAM = f"""
import tapeviz as tv

def step(given, message, logs):
    w = tv.Variable(given, name="w")
    with tv.record() as log:
        logs.append(log)
        with tv.GradientTape() as tape:
            {LINE} = w * w
            loss = tv.reduce_sum({LINE})
        tape.gradient(loss, w)
        raise KeyError(message, float(given[0]))
"""


def planted(home: Path) -> EventLog:
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
        ended = pool.submit(namespace["step"], np.array([VALUE, VALUE]), MESSAGE, logs).exception()
    assert isinstance(ended, KeyError)
    return logs[0]


SECRETS: dict[str, tuple[bytes, ...]] = {
    "user": (USER.encode(),),
    "environment": (SETTING.encode(),),
    "path": (FOLDER.encode(),),
    "line": (LINE.encode(),),
    "message": (MESSAGE.encode(),),
    "value": (
        *(str(VALUE).encode(), f"{VALUE:.6g}".encode(), str(int(VALUE)).encode()),
        *(np.array(VALUE, dtype).tobytes() for dtype in ("<f4", "<f8")),
        *(f"{VALUE**2:.6g}".encode(), f"{2 * VALUE:.6g}".encode()),
    ),
}
"""The bytes that each would be in a file. `line` is the name of a result as well, which a log keeps."""
ALWAYS = ("user", "environment")
"""What is in no file."""
Asked = dict[str, tuple[Callable[[EventLog, Path], Any], tuple[str, ...]]]
BARE: Asked = {
    "save values": (lambda log, folder: tv.save(log, folder / "a.tape", values="none"), ("value", "message")),
    "save sources": (lambda log, folder: tv.save(log, folder / "b.tape", sources=False), ("path",)),
    "page values": (lambda log, folder: tv.save_html(log, folder / "a.html", values="none"), ("value", "message")),
    "page sources": (lambda log, folder: tv.save_html(log, folder / "b.html", sources=False), ("path",)),
    "page of a bare log": (
        lambda log, folder: tv.save_html(
            tv.load(tv.save(log, folder / "c.tape", values="none", sources=False)), folder / "c.html"
        ),
        ("value", "message", "path"),
    ),
}
"""The exports that are asked to leave something out, and what."""


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
        f"{secret} in {path.name}"
        for path in sorted(folder.iterdir())
        for secret in secrets
        if any(each in data for data in content(path) for each in SECRETS[secret])
    ]


def leaks(folder: Path) -> list[str]:
    """The secrets that are in files that were to leave them out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder / USER))
        patch.setenv(VARIABLE, SETTING)
        return list(_leaks(planted(folder / USER), folder))


def _leaks(log: EventLog, folder: Path) -> Iterator[str]:
    asked: Asked = {name: (export, ()) for name, export in EXPORTERS.items()} | BARE
    for number, (name, (export, secrets)) in enumerate(asked.items()):
        target = folder / str(number)
        target.mkdir()
        export(log, target)
        yield from (f"{name}: {each}" for each in found_in(target, (*ALWAYS, *secrets)))
