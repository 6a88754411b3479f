"""The gradient problems beside the repository, `shared/cases`: real programs, as people wrote them, by framework."""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve()


def folder() -> Path:
    """Where they are: named by TAPEVIZ_CASES, or beside a folder that the repository is in."""
    named = os.environ.get("TAPEVIZ_CASES")
    found = (parent / "shared" / "cases" for parent in HERE.parents)
    return Path(named) if named else next((each for each in found if each.is_dir()), HERE / "none")


def paths(framework: str) -> list[Path]:
    """The programs of a framework; none where the folder is not there."""
    return sorted((folder() / framework).glob("*.py"))


def load(path: Path) -> ModuleType:
    """One case, compiled under its own file name."""
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    exec(compile(path.read_text(), str(path), "exec"), module.__dict__)
    return module
