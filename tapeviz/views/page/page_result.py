"""A result that is also a page -> that page, as HTML and in a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import ClassVar

from tapeviz.events.store import atomic
from tapeviz.validation import page_path


class PageResult:
    """What a verb returned, such as a comparison, that can also be shown and saved as an offline page."""

    _file: ClassVar[str]
    """What the file is called in advice."""

    def html(self) -> str:
        """The page: HTML that needs no other file, no network and no kernel."""
        raise NotImplementedError

    def save_html(self, path: str | os.PathLike[str]) -> Path:
        """Write the page into one HTML file, which opens offline in any browser; return its path.

        Raises:
            ValueError: a path that does not end in .html.
            FileNotFoundError: a folder that is not there.
        """
        target = page_path(path, f"found.save_html({self._file!r})")
        atomic.write(target, self.html().encode())
        return target
