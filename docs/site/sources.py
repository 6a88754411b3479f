"""The repository's texts, notebooks and docstrings -> one folder of Markdown, laid out as the repository is.

Since it is laid out alike, what links a text to another on a code host does so on the site, too.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from docs.site import examples, notebooks, reference
from docs.site.lite import build as lite
from docs.site.playground import build as playground

ROOT = Path(__file__).parents[2]
OWN = Path(__file__).with_name("pages")
TEXTS = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs/*.md",
    "docs/causes/*.md",
    "notebooks/data/*.md",
)
RENAMED = {"README.md": "manual.md"}
"""The front page is one of the site's own; the README, which is long, is behind it."""


def gather(folder: Path) -> None:
    """Write everything that the site is made of into a folder."""
    for pattern in TEXTS:
        for path in ROOT.glob(pattern):
            name = path.relative_to(ROOT).as_posix()
            _write(folder / RENAMED.get(name, name), _linked(path.read_text(encoding="utf-8"), name.count("/")))
    shutil.copytree(ROOT / "docs" / "images", folder / "docs" / "images")
    shutil.copy(ROOT / "LICENSE", folder)
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        _write(folder / "notebooks" / f"{path.stem}.md", notebooks.page(path))
    for name, text in reference.pages():
        _write(folder / "reference" / name, text)
    for name in ("extra.css", "llms.txt"):
        shutil.copy(OWN / name, folder)
    lacking = lite.build(folder / "lite")
    if lacking:
        print(f"left out: the notebooks in a browser, since {lacking}")
    playground.build(folder / "playground", None if lacking else "../lite/lab/index.html")
    for path in sorted(OWN.glob("*.md")):
        _write(folder / path.name, examples.executed(path.read_text(encoding="utf-8"), folder, path.stem))


def _linked(text: str, depth: int) -> str:
    """A text, so many folders deep, whose links to the README and to notebooks lead to their pages."""
    readme = re.escape("../" * depth + "README.md")
    text = re.sub(rf"\]\({readme}(#[^)]*)?\)", rf"]({'../' * depth}manual.md\1)", text)
    return re.sub(r"(\]\((?!\w+:)[^)]*)\.ipynb\)", r"\1.md)", text)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
