"""`python -m tapeviz` -> the command line."""

from __future__ import annotations

from tapeviz.cli.main import main

if __name__ == "__main__":
    main()
