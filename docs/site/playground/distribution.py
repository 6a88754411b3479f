"""A folder with Pyodide's own files -> those that the playground needs, each the one that its checksum says.

Pyodide brings CPython and NumPy as WebAssembly. No index of Python packages has them: they are taken from a release of
Pyodide, or the core of it from npm and the packages from where its release keeps them.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name

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


def copied(source: Path | None, target: Path, packages: Iterable[str] = PACKAGES) -> list[str]:
    """Copy Python and some packages into a folder; the names of the files that are not there.

    Args:
        source: a folder with files of Pyodide; None: there is none.
        target: the folder to write them into, which is made.
        packages: by their names in the lock; the playground's unless others are asked for.

    Raises:
        ValueError: a file is there, and is another.
    """
    missing = []
    target.mkdir(parents=True, exist_ok=True)
    for name, checksum in _needed(source, packages):
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


def with_needs(source: Path, packages: Iterable[str]) -> list[str]:
    """Packages, and all that they need, by their names in the lock of a folder; as they are where there is no lock."""
    known, found, asked = _locked(source), dict.fromkeys(packages), [*packages]
    while known and asked:
        needed = map(canonicalize_name, known[asked.pop()]["depends"])
        new = [name for name in needed if name not in found]
        found |= dict.fromkeys(new)
        asked += new
    return list(found)


def _needed(source: Path | None, packages: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The names and checksums of all files; those of packages are in the lock."""
    yield from CORE.items()
    known = _locked(source)
    for name in packages:
        yield (known[name]["file_name"], known[name]["sha256"]) if known else (f"a wheel of {name}", "")


def _locked(source: Path | None) -> dict[str, Any]:
    """What the lock of a folder says of each package; nothing where there is no lock."""
    lock = None if source is None else source / LOCK
    if lock is None or not lock.is_file():
        return {}
    packages: dict[str, Any] = json.loads(lock.read_text(encoding="utf-8"))["packages"]
    return packages
