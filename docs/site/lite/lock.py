"""Pyodide's lock and wheels of Python alone -> a lock that has them, so that an `import` loads them, by checksum."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Sequence
from email.message import Message
from email.parser import Parser
from hashlib import sha256
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PLATFORM = {"sys_platform": "emscripten", "platform_system": "Emscripten", "extra": ""}
"""What requirements may ask of where they are installed."""


def extended(lock: Path, wheels: Sequence[Path]) -> str:
    """The text of a lock that has wheels beside its own packages, and the same text for the same wheels."""
    content: dict[str, Any] = json.loads(lock.read_text(encoding="utf-8"))
    described = {canonicalize_name(metadata["Name"]): (wheel, metadata) for wheel, metadata in _described(wheels)}
    known = {*content["packages"], *described}
    for name, (wheel, metadata) in sorted(described.items()):
        content["packages"][name] = {
            "name": name,
            "version": metadata["Version"],
            "file_name": wheel.name,
            "install_dir": "site",
            "sha256": sha256(wheel.read_bytes()).hexdigest(),
            "package_type": "package",
            "imports": _imports(wheel),
            # A browser's notebook brings the rest itself: what an `ipywidgets` needs of a server, for one.
            "depends": sorted(known.intersection(_needs(metadata))),
            "unvendored_tests": False,
        }
    return json.dumps(content)


def _described(wheels: Sequence[Path]) -> Iterator[tuple[Path, Message]]:
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as file:
            [name] = [each for each in file.namelist() if each.endswith(".dist-info/METADATA")]
            yield wheel, Parser().parsestr(file.read(name).decode())


def _needs(metadata: Message) -> Iterator[str]:
    for text in metadata.get_all("Requires-Dist", []):
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate(PLATFORM):
            yield canonicalize_name(requirement.name)


def _imports(wheel: Path) -> list[str]:
    """The modules and packages at the top of a wheel."""
    with zipfile.ZipFile(wheel) as file:
        tops = {name.partition("/")[0] for name in file.namelist() if name.endswith(".py")}
    return sorted(top.removesuffix(".py") for top in tops if ".dist-info" not in top and ".data" not in top)
