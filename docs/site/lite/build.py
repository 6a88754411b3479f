"""The notebooks, a folder with Pyodide's files -> JupyterLite, in a folder that any server of files can serve."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from docs.site.lite.lock import extended
from docs.site.lite.wheels import wheels
from docs.site.playground import distribution
from docs.site.playground.build import VARIABLE

ROOT = Path(__file__).parents[3]
NOTEBOOKS = ROOT / "notebooks"
PYTHON = ROOT / ".venv-lite" / "bin" / "python"
"""JupyterLite's, in an environment of its own: JupyterLab would take its kernels for extensions of its own."""
FRAMEWORKS = ("tensorflow", "torch", "jax")
"""There are none in a browser: notebooks that import one are left out."""
PACKAGES = ("numpy", "ml-dtypes", "matplotlib", "ipython", "jedi", "micropip")
"""Of Pyodide's, with all that they need: the engine's, those of its plots, those of a notebook's kernel."""
KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"
SETTINGS = {
    "jupyter-lite-schema-version": 0,
    "jupyter-config-data": {
        "appName": "tapeviz",
        "litePluginSettings": {KERNEL: {"disablePyPIFallback": True}},  # no request leaves the site
    },
}


def build(folder: Path) -> str | None:
    """Write JupyterLite with the notebooks into a folder; what it lacks, in words, where nothing was written.

    Raises:
        ValueError: a file of Pyodide's is not the one that its checksum says.
        RuntimeError: JupyterLite could not be built; it says what that said.
    """
    named = os.environ.get(VARIABLE)
    if not named:
        return f"{VARIABLE} names no folder with the files of Pyodide {distribution.VERSION}"
    if not PYTHON.exists():
        return "JupyterLite is not here: .ci/environment .venv-lite lite"
    with TemporaryDirectory() as work:
        sources = Path(work, "lite")
        home = sources / "static" / "pyodide"
        packages = distribution.with_needs(Path(named), PACKAGES)
        missing = distribution.copied(Path(named), home, packages)
        if missing:
            return f"{named} lacks {', '.join(missing)} of Pyodide {distribution.VERSION}"
        try:
            ours = wheels(Path(work, "wheels"))
        except RuntimeError as error:
            return f"the wheels of the notebooks are not to be had: {error}"
        for wheel in ours:
            shutil.copy(wheel, home)
        lock = home / distribution.LOCK
        lock.write_text(extended(lock, ours), encoding="utf-8")
        _contents(sources / "files")
        (sources / "jupyter-lite.json").write_text(json.dumps(SETTINGS), encoding="utf-8")
        _run_jupyterlite(sources, folder)
    return None


def notebooks() -> list[Path]:
    """Those that need no framework."""
    found = sorted(NOTEBOOKS.glob("*.ipynb"))
    return [path for path in found if not any(f"import {each}" in path.read_text("utf-8") for each in FRAMEWORKS)]


def _contents(folder: Path) -> None:
    """What a visitor finds in the file browser: notebooks, and the data that they read."""
    shutil.copytree(NOTEBOOKS / "data", folder / "data", ignore=shutil.ignore_patterns("*.md"))
    for path in notebooks():
        shutil.copy(path, folder)


def _run_jupyterlite(sources: Path, folder: Path) -> None:
    asked = [PYTHON, "-W", "ignore", "-m", "jupyterlite_core", "build", "--apps", "lab", "--no-sourcemaps"]
    folders = ["--lite-dir", sources, "--output-dir", folder.absolute()]
    done = subprocess.run([*asked, *folders], cwd=sources, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"JupyterLite was not built:\n{done.stdout}{done.stderr}")
