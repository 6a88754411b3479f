"""The ES modules and the style sheets in this folder -> the one module and the one style sheet that a page takes.

`module("widget.js")` is what anywidget loads, `module("page.js")` what a saved page runs; `module("modes_page.js")` is
for the page of `tv.modes`, `module("compare_page.js")` for that of `tv.compare`, `module("ranks_page.js")` for that of
several ranks, and `module("sliders_page.js")` for a function with sliders. What a module imports comes before it, once;
`import` and `export` words go, so every top-level name has to be its own. What is written for readers of the source
stays here: `minified` takes it out, and `renamed` gives variables short names.

A group imports those above it, never one below (types apart):

- `words/`     values, rules and steps of the payload -> text: `numbers`, `rules`, `steps`; `sentences` about a moment;
               `lines`, keys for lines of source; `commands` and their keys; `shortened` names; `signs` of compared
               boxes; `cells`, the elements of a tensor and slices of them
- `elements/`  elements of HTML, SVG and MathML: `elements` makes them, `lookup` finds them; `button`, `icons`,
               `heatmap`, `histogram`, `mathml`, `prose`, `breakable` names; `fit`, type to its room, and `reveal`, a
               row of a list
- `timeline/`  payload and run -> what holds at each step: `timeline`, of `tracks` with `keyframes`, `gradients`,
               tensors `carried` by edges; the `health` of gradients; `between_ranks`, how they differ; what a `lens`
               measures; `parameters`, as rows
- `layout/`    sizes and edges -> places: `layout`, by `ranks`, `components`, `layers`, `starts`, `order`, `crossings`,
               `columns`, `placing`, `routes`, `wrapping`, with `bisect` and `topological` order; the twin of
               `views/layout/`
- `sight/`     the payload's scene and the unfolded groups -> what is visible, and where: `sight`, by `fold`,
               `unfolding` and `regrouped`, `nest` with its `nest_plan`, `sharing` of leaves, `spots` for words, `areas`
               that overlap; `between`, paths; as `views/scene/`
- `viewport/`  which part of a picture is in view: `viewport`, its `framing`, `gestures`, `zoom` buttons and `minimap`
- `panels/`    around the graph: `heading`, `legend`, `crumbs`, `trail`, `find`; `transport`, `player`; `lecture` and
               `speaker`, its second window; `keys_help`; `announcer`, for screen readers; and beside it the
               `inspector`, one column of `findings`, `card` with `card_actions` and `tensor_view`, `step_panel` with
               `check` and `meeting`, `parameters`, `source_panel`; the `copier` copies what one points to there
- `graph/`     the graph on its `stage`: `debugged_graph` and `compared_graph`, each a `graph_view` with its elements in
               a `graph_world` and `graph_input`, running as `flows` finds best; `box`, `wire`, `frame`, `fold_mark`,
               `badge`, `strip`, `curves`; `looks`, how they look at a moment; `highlights`, what stands out;
               `contributions` and `shapes`, written on wires; `callout`, a note; `crowd`, more boxes than can be
               elements; `stops` of the focus; `pictures`, to save
- beside them  the entries `widget`, `page`, `modes_page`, `compare_page`, `ranks_page` and `sliders_page`, with
               `switched`, one debugger that goes from recording to recording; `mount`;
               `debugger`, which puts the rest together around one `store` of a `position`; `asking`, questions to the
               live program; `columns`, which unpacks the payload; `color_theme`; `types`, the shapes of the payload
- `styles/`    the style sheets, in the order of STYLES; their colours are the roles of `markup/theme.py`
"""

from __future__ import annotations

import posixpath
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tapeviz.markup import theme
from tapeviz.views.frontend.minified import minified

__all__ = ["css", "module"]

FOLDER = Path(__file__).parent
IMPORT = re.compile(r'^import \{ ([\w, ]+) \} from "(\.\.?/[\w./]+\.js)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const)\b)", re.MULTILINE)
STYLES = ("debugger", "graph", "lenses", "stage", "panels", "lecture", "media")
"""The style sheets; of rules that are equally specific, those of the later ones win."""
TOP_LEVEL = re.compile(r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)
COMMENT = re.compile(r"/\*.*?(?:\*/ ?|\Z)", re.DOTALL)
BLANK = re.compile(r"^\s+", re.MULTILINE)
DECLARED = re.compile(r"\{[^{}]*\}")
AROUND = re.compile(r";?\s*([{}:;,])\s*")
"""Space between declarations, and the last semicolon before a bracket."""
BETWEEN = re.compile(r"\s*([{},])\s*")
"""Space around rules, and between selectors."""


@cache
def module(entry: str) -> str:
    """One ES module without imports, made of `entry` and all it imports.

    >>> "export default{render:" in module("widget.js")
    True
    """
    parts = _in_order(entry, {})
    _refuse_doubles(parts)
    inner = [EXPORT.sub("", part.text) if name != entry else part.text for name, part in parts.items()]
    return minified("".join(IMPORT.sub("", text) for text in inner))


@cache
def css() -> str:
    """The style sheet of the debugger: the theme's roles as variables, and the rules that use them."""
    roles = f':host{{{theme.css_variables("light")}}}\n:host([data-theme="dark"]){{{theme.css_variables("dark")}}}\n'
    rules = COMMENT.sub("", "".join(_read(f"styles/{name}.css") for name in STYLES))
    return roles + BETWEEN.sub(r"\1", DECLARED.sub(lambda block: AROUND.sub(r"\1", block[0]), BLANK.sub("", rules)))


class _Part(NamedTuple):
    """A module's source, and the names at its top."""

    text: str
    names: list[str]


def _in_order(name: str, parts: dict[str, _Part]) -> dict[str, _Part]:
    """Path of a module in this folder -> the module, what is imported before what imports it."""
    text = _read(name)
    for names, path in IMPORT.findall(text):
        other = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
        if other not in parts:
            _in_order(other, parts)
        missing = set(names.split(", ")).difference(parts[other].names if other in parts else ())
        if missing:
            raise ImportError(f"{name} imports {', '.join(sorted(missing))} from {other}, which has no such name")
    parts[name] = _Part(text, TOP_LEVEL.findall(text))
    return parts


def _refuse_doubles(parts: dict[str, _Part]) -> None:
    owner: dict[str, str] = {}
    for name, part in parts.items():
        for top in part.names:
            if top in owner:
                raise ImportError(f"{top} is a top-level name of both {owner[top]} and {name}: rename one")
            owner[top] = name


def _read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")
