"""A page or frame -> what axe-core finds wrong with it."""

from __future__ import annotations

import os
from pathlib import Path

from playwright.sync_api import Frame, Page

ADVICE = "axe-core is not here: `make test` fetches it, or set TAPEVIZ_AXE to the path of an axe.min.js"
RUN = """async (selector) => {
  const { violations } = await axe.run(selector ?? document);
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html).join(' | ')}`);
}"""


def find_axe() -> Path | None:
    """`$TAPEVIZ_AXE`, or the copy that .ci/setup keeps in the user's cache."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    path = Path(os.environ.get("TAPEVIZ_AXE") or cache / "tapeviz" / "axe.min.js")
    return path if path.is_file() else None


def violations(axe: Path, frame: Page | Frame, selector: str | None = None) -> list[str]:
    """One line per violation inside `selector` (default: the whole document); open shadow roots are looked into."""
    frame.evaluate(axe.read_text(encoding="utf-8"))
    return list(frame.evaluate(RUN, selector))
