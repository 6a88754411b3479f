"""A hook of mkdocs: a page of the site -> whether there is anything to choose from beside it; if not, it is wider."""

from __future__ import annotations

from typing import Any

from mkdocs.structure.pages import Page


def on_page_context(context: Any, *, page: Page, **_: Any) -> Any:
    """Leave out the list of a page's siblings where it has none, and that of its sections where it has no two."""
    hidden = page.meta.setdefault("hide", [])
    if page.parent is None:
        hidden.append("navigation")
    if sum(len(each.children) for each in page.toc) < 2:
        hidden.append("toc")
    return context
