"""Build the site: python -m docs.site [FOLDER] writes build/site, or FOLDER."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from mkdocs.commands.build import build
from mkdocs.config import load_config

from docs.site.sources import gather

SETTINGS = Path(__file__).with_name("mkdocs.yml")


def main(folder: Path) -> None:
    """Write the site into a folder.

    Raises:
        mkdocs.exceptions.Abort: a link leads nowhere.
    """
    logging.getLogger("mkdocs").addHandler(logging.StreamHandler())  # says what is wrong with a link
    with TemporaryDirectory() as sources:
        gather(Path(sources))
        build(load_config(str(SETTINGS), docs_dir=sources, site_dir=str(folder.absolute()), strict=True))
    print(f"wrote {folder / 'index.html'}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("build/site"))
