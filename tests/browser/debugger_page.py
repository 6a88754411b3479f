"""A page, or a part of it -> what a debugger on it shows."""

from __future__ import annotations

from playwright.sync_api import Locator, Page

DEBUGGER = ".debugger[data-ready]"


def box(within: Page | Locator, title: str) -> Locator:
    """The first box of that title."""
    page = within if isinstance(within, Page) else within.page
    return within.locator(".box", has=page.get_by_text(title, exact=True)).first


def position(page: Page, name: str) -> str | None:
    """Where its debugger is: the "step", what is "selected", and the like."""
    return page.locator(DEBUGGER).get_attribute(f"data-{name}")
