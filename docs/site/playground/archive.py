"""tapeviz, and the package that it needs of Python alone -> one archive, the same bytes for the same files."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("tapeviz", "latex2mathml")
"""What is written in Python alone; all else that tapeviz uses is compiled, or is left out."""
LEFT_OUT = {"__pycache__", "stubs"}
DATE = (1980, 1, 1, 0, 0, 0)


def archive() -> bytes:
    """A zip file to unpack where Python looks for packages."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as file:
        for name, path in sorted(_files()):
            file.writestr(zipfile.ZipInfo(name, DATE), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return written.getvalue()


def _files() -> Iterator[tuple[str, Path]]:
    for package in PACKAGES:
        spec = find_spec(package)
        if spec is None or spec.origin is None:
            raise ModuleNotFoundError(f"The playground brings {package}, which is not installed.")
        home = Path(spec.origin).parent
        for path in home.rglob("*"):
            if path.is_file() and LEFT_OUT.isdisjoint(path.relative_to(home).parts):
                yield path.relative_to(home.parent).as_posix(), path
