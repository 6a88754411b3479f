"""A folder with Pyodide's own files -> those that the playground needs, each the one that its checksum says.

Pyodide brings CPython and NumPy as WebAssembly. No index of Python packages has them: they are taken from a release of
Pyodide, or the core of it from npm and the packages from where its release keeps them.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

VERSION = "314.0.7"
LOCK = "pyodide-lock.json"
CORE = {
    "pyodide.mjs": "6f1d60f7bf529beb300f0f47983c921d3982363640ba20af0e38efdddbc66109",
    "pyodide.asm.mjs": "f7cdc8ece80678ceb712f8e65ebe6d3a83203a180c399865f49612a051693635",
    "pyodide.asm.wasm": "cc36e3cab04fdfc9a63ff13eb52eae2b911bf46c025cc7b281f394bd3de1d5e6",
    "python_stdlib.zip": "fa1957e5777068fc4f7437f96d860ae2fbe9c19732ba06c84e004ec16dd7dd7a",
    LOCK: "5dc2fc119108bc148c7457dc86e7675b5c87e1cafd420b9c34c1eaef7b36c010",
}
"""The SHA-256 of the files of the npm package `pyodide`; its lock has those of all packages."""
PACKAGES = ("numpy", "ml-dtypes")
"""What the engine needs, and what it can use, that is compiled."""


def copied(source: Path | None, target: Path) -> list[str]:
    """Copy what the playground needs into a folder; the names of the files that are not there.

    Args:
        source: a folder with files of Pyodide; None: there is none.
        target: the folder to write them into, which is made.

    Raises:
        ValueError: a file is there, and is another.
    """
    missing = []
    target.mkdir(parents=True, exist_ok=True)
    for name, checksum in _needed(source):
        path = None if source is None else source / name
        if path is None or not path.is_file():
            missing.append(name)
            continue
        found = sha256(path.read_bytes()).hexdigest()
        if found != checksum:
            raise ValueError(
                f"{path} is not that of Pyodide {VERSION}: its SHA-256 is {found}, not {checksum}. Take the file from "
                "that release."
            )
        shutil.copy(path, target)
    return missing


def _needed(source: Path | None) -> Iterator[tuple[str, str]]:
    """The names and checksums of all files; those of packages are in the lock."""
    yield from CORE.items()
    lock = None if source is None else source / LOCK
    if lock is None or not lock.is_file():
        yield from ((f"a wheel of {name}", "") for name in PACKAGES)
        return
    packages: dict[str, Any] = json.loads(lock.read_text(encoding="utf-8"))["packages"]
    for name in PACKAGES:
        yield packages[name]["file_name"], packages[name]["sha256"]
