"""The chapters of the reference -> pages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docs.__main__ import chapters, entry


def pages() -> Iterator[tuple[str, str]]:
    """The name of each page and its text; the first lists the others."""
    listed = []
    for heading, members in chapters():
        if not members:
            continue
        name = f"{re.sub(r'[^a-z]+', '_', heading.lower())}.md"
        listed.append(f"- [{heading}]({name}): {len(members)} names")
        links = " · ".join(f'<a href="#{called}">{called}</a>' for called, _ in members)
        sections = "\n".join("\n".join(entry(called, each, level=2)) for called, each in members)
        yield name, f'# {heading}\n\n<div class="reference">\n<p>{links}</p>\n{sections}\n</div>\n'
    yield "index.md", "# Reference\n\nMade of the docstrings.\n\n" + "\n".join(listed) + "\n"
