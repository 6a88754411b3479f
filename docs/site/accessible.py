"""A hook of mkdocs: what axe finds in each page that the theme makes -> mended."""

from __future__ import annotations

from typing import Any

MENDED = {
    'data-md-component="search" role="dialog"': 'data-md-component="search" role="dialog" aria-label="Search"',
    "<th></th>": "<td></td>",
}
"""A dialog has a name, and a cell without words is the header of nothing."""


def on_post_page(output: str, **_: Any) -> str:
    """Mend a page."""
    for wrong, right in MENDED.items():
        output = output.replace(wrong, right)
    return output
