"""A notebook with its outputs -> Markdown around the HTML that Jupyter's own converter makes of it.

The tests hold the outputs that a notebook is saved with against those that it gives.
"""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
from latex2mathml.converter import convert
from nbconvert import HTMLExporter

MATH = re.compile(r"(?<!\\)\$([^$`\n]+)\$")
"""A formula in a text: browsers have MathML, while Jupyter's own renderer would come from elsewhere."""
LINK, PAGES = re.compile(r"\]\(((?:\w+/)*)(\w+)\.(?:md|ipynb)\)"), {"README": "index"}
"""A link to another text or notebook: what is HTML already is not translated with the page."""


def page(path: Path) -> str:
    """The page of a notebook, headed by its own first heading."""
    notebook = nbformat.read(path, as_version=4)
    heading, _, rest = notebook.cells[0].source.partition("\n")
    notebook.cells[0].source = rest
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            text = MATH.sub(lambda found: convert(found[1]), cell.source)
            cell.source = LINK.sub(lambda found: f"]({found[1]}{PAGES.get(found[2], found[2])}.html)", text)
    body, _ = HTMLExporter(template_name="basic", exclude_anchor_links=True).from_notebook_node(notebook)
    return f'{heading}\n\n<div class="notebook">\n{body}\n</div>\n'
