"""The notebooks -> the same, with the outputs that they give today.

python -m docs.notebooks [NAME ...]     runs notebooks/*.ipynb, and writes them
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "notebooks"


def run(path: Path) -> None:
    """Run a notebook in a copy of its folder, with the data beside it, and keep its outputs; no times and no widgets'
    state, which differ at every run."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    with TemporaryDirectory() as folder:
        copied = shutil.copytree(FOLDER, Path(folder) / FOLDER.name)
        resources = {"metadata": {"path": copied}}
        client = NotebookClient(
            notebook,
            resources=resources,
            timeout=600,
            coalesce_streams=True,
            record_timing=False,
            store_widget_state=False,
        )
        client.execute()
    nbformat.write(notebook, path)


def main(names: Sequence[str]) -> None:
    """Run the notebooks of these names, or all of them."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        if not names or path.stem in names:
            run(path)


if __name__ == "__main__":
    main(sys.argv[1:])
