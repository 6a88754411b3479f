"""Build the playground alone: TAPEVIZ_PYODIDE=pyodide python -m docs.site.playground [FOLDER]."""

from __future__ import annotations

import sys
from pathlib import Path

from docs.site.playground.build import VARIABLE, build
from docs.site.playground.distribution import VERSION

if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("build/playground")
    missing = build(folder)
    print(f"wrote {folder / 'index.html'}")
    if missing:
        lacks = ", ".join(missing)
        print(f"It can run nothing: {VARIABLE} has to name a folder that has, of Pyodide {VERSION}, {lacks}.")
