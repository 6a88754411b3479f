"""The name of a file of the program -> what logs, pages and messages call it: as much of its path as others may read.

- below the working directory       the path from there
- elsewhere in the user's own home  the path from `~`, which names nobody
- anywhere else                     the path as it is
"""

from __future__ import annotations

import ntpath
import os
import sys
from pathlib import Path

from tapeviz.phrases import encodable


def shown_name(filename: str) -> str:
    """A file as the user knows it: a notebook's cell by its number, any other by its path."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    cell = shell.compile.format_code_name(filename) if shell is not None else None
    return encodable(" ".join(cell) if cell else _shown_path(filename))


def base_name(filename: str) -> str:
    r"""A file without its path, whichever system wrote that.

    >>> base_name("~/project/train.py"), base_name(r"C:\project\train.py"), base_name("Cell In[3]")
    ('train.py', 'train.py', 'Cell In[3]')
    """
    return ntpath.basename(filename)


def _shown_path(filename: str) -> str:
    if not os.path.isabs(filename) and not filename.startswith(os.pardir):
        return filename  # `<stdin>` is among them
    try:
        here = Path.cwd()
    except OSError:  # it was deleted
        return filename
    whole = Path(os.path.normpath(here / filename))
    home = next((each for each in _homes() if whole.is_relative_to(each)), None)
    if whole.is_relative_to(here) and not (home is not None and here in home.parents):
        return str(whole.relative_to(here))
    return filename if home is None else os.path.join("~", whole.relative_to(home))


def _homes() -> list[Path]:
    """The user's home, as it is called and as links lead to it."""
    called = os.path.expanduser("~")
    found = map(Path, dict.fromkeys((called, os.path.realpath(called))))
    return [each for each in found if each.is_absolute() and each.parents]
