"""A page or frame -> what axe-core finds wrong with it."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Frame, Page

RUN = """async (selector) => {
  const { violations } = await axe.run(selector ?? document);
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html).join(' | ')}`);
}"""


def violations(axe: Path, frame: Page | Frame, selector: str | None = None) -> list[str]:
    """One line per violation inside `selector` (default: the whole document); open shadow roots are looked into."""
    frame.evaluate(axe.read_text(encoding="utf-8"))
    return list(frame.evaluate(RUN, selector))
