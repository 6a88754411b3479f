"""The repository, a folder with Pyodide's files -> the folder of the playground."""

from __future__ import annotations

import base64
import json
import os
import shutil
from hashlib import sha256
from pathlib import Path

from docs.site.playground import distribution
from docs.site.playground.archive import archive
from docs.site.playground.programs import programs

FILES = Path(__file__).with_name("files")
VARIABLE = "TAPEVIZ_PYODIDE"
"""The environment variable that names a folder with Pyodide's files."""
ARCHIVE = "packages.zip"


def build(folder: Path, notebooks: str | None = None) -> list[str]:
    """Write the playground into a folder; the names of Pyodide's files that it lacks, without which nothing runs there.

    Args:
        folder: where to.
        notebooks: where JupyterLite is, from there, if it is.

    Raises:
        ValueError: a file of Pyodide's is not the one that its checksum says.
    """
    named = os.environ.get(VARIABLE)
    shutil.copytree(FILES, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    missing = distribution.copied(Path(named) if named else None, folder / "pyodide")
    packed = archive()
    (folder / ARCHIVE).write_bytes(packed)
    manifest = {
        "pyodide": distribution.VERSION,
        "variable": VARIABLE,
        "missing": missing,
        "notebooks": notebooks,
        "packages": list(distribution.PACKAGES),
        "archive": {"name": ARCHIVE, "integrity": f"sha256-{base64.b64encode(sha256(packed).digest()).decode()}"},
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    menu = [each._asdict() for each in programs()]
    (folder / "programs.json").write_text(json.dumps(menu, ensure_ascii=False, indent=1), encoding="utf-8")
    return missing
