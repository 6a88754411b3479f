"""The ES modules and the stylesheet beside this file -> the one module and the one stylesheet that a page takes.

`module("widget.js")` is what anywidget loads, `module("page.js")` what a saved page runs. A module's siblings come
before it, once each; their `import` and `export` words go, so every top-level name has to be its own. What is written
for readers of the source stays here.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from tapeviz.views import theme
from tapeviz.views.frontend.squeezed import squeezed

__all__ = ["css", "module"]

FOLDER = Path(__file__).parent
IMPORT = re.compile(r'^import \{ ([\w, ]+) \} from "\./([\w]+\.js)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const)\b)", re.MULTILINE)
TOP_LEVEL = re.compile(r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/ ?", re.DOTALL)
BLANK = re.compile(r"^\s+", re.MULTILINE)


@cache
def module(entry: str) -> str:
    """One ES module without imports, made of `entry` and all it imports.

    >>> module("widget.js").endswith("export default{render};")
    True
    """
    parts = _in_order(entry, {})
    _refuse_doubles(parts)
    inner = [EXPORT.sub("", text) if name != entry else text for name, text in parts.items()]
    return squeezed("".join(IMPORT.sub("", text) for text in inner))


@cache
def css() -> str:
    """The stylesheet of the debugger: the theme's roles as variables, and the rules that use them."""
    roles = f':host{{{theme.css_variables("light")}}}\n:host([data-theme="dark"]){{{theme.css_variables("dark")}}}\n'
    return roles + BLANK.sub("", COMMENT.sub("", _read("widget.css")))


def _in_order(name: str, parts: dict[str, str]) -> dict[str, str]:
    """Module name -> source, what is imported before what imports it."""
    text = _read(name)
    for names, sibling in IMPORT.findall(text):
        if sibling not in parts:
            _in_order(sibling, parts)
        missing = set(names.split(", ")) - set(TOP_LEVEL.findall(parts.get(sibling, "")))
        if missing:
            raise ImportError(f"{name} imports {', '.join(sorted(missing))} from {sibling}, which has no such name")
    parts[name] = text
    return parts


def _refuse_doubles(parts: dict[str, str]) -> None:
    owner: dict[str, str] = {}
    for name, text in parts.items():
        for top in TOP_LEVEL.findall(text):
            if top in owner:
                raise ImportError(f"{top} is a top-level name of both {owner[top]} and {name}: rename one")
            owner[top] = name


def _read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")
