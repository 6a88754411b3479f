"""A page, or a part of it -> what a debugger on it shows."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Locator, Page

DEBUGGER = ".debugger[data-ready]"
IN_VIEW = """each => {
  const own = each.getBoundingClientRect();
  const view = each.closest(".graph").getBoundingClientRect();
  return own.top >= view.top && own.bottom <= view.bottom && own.left >= view.left && own.right <= view.right;
}"""


def go_to(page: Page, file: Path, where: str) -> None:
    """A saved page at a place of its address, drawn whole."""
    page.goto("about:blank")
    page.goto(file.resolve().as_uri() + where)
    page.wait_for_selector(DEBUGGER)
    settled(page)


def settled(page: Page) -> None:
    """What was asked of the page is drawn."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def box(within: Page | Locator, title: str) -> Locator:
    """The first box of that title."""
    page = within if isinstance(within, Page) else within.page
    return within.locator(".box", has=page.get_by_text(title, exact=True)).first


def position(page: Page, name: str) -> str | None:
    """Where its debugger is: the "step", what is "selected", and the like."""
    return page.locator(DEBUGGER).get_attribute(f"data-{name}")
