"""Scene -> DOT, the language of Graphviz, and pictures by Graphviz."""

from __future__ import annotations

import shutil
import subprocess
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from tapeviz.markup.theme import colour
from tapeviz.views.drawing.picture import box_paint, wire_paint
from tapeviz.views.reading import read
from tapeviz.views.scene import Scene, SceneEdge, SceneNode, scene

if TYPE_CHECKING:
    import graphviz

ADVICE = (
    'Neither pygraphviz nor the program `dot` is here. Install one: `pip install "tapeviz[graphviz]"` (brings Graphviz '
    "with it), or Graphviz itself: `apt install graphviz`, `brew install graphviz`, `winget install graphviz`. "
    "`draw(...)` without `engine=` needs neither."
)


def to_dot(log_or_tape: Any) -> str:
    r"""The picture of a log as DOT text, for Graphviz to lay out.

    >>> import tapeviz as tv
    >>> x = tv.Variable(3.0, name="x")
    >>> with tv.GradientTape() as tape:
    ...     y = x * x
    >>> print(to_dot(tape))
    digraph "tape of 1 op" {...
      "..." -> "..." [...]
    }
    """
    return text(scene(read(log_or_tape)))


def to_graphviz(log_or_tape: Any) -> graphviz.Source:
    """The picture of a log as an object of the `graphviz` package, which shows itself in a notebook.

    Showing it needs Graphviz's `dot`; making it does not.

    >>> import tapeviz as tv
    >>> x = tv.Variable(3.0, name="x")
    >>> with tv.GradientTape() as tape:
    ...     y = x * x
    >>> type(to_graphviz(tape)).__name__
    'Source'
    """
    import graphviz

    return graphviz.Source(to_dot(log_or_tape))


def text(drawn: Scene) -> str:
    """A scene as DOT, without its layout."""
    defaults = (
        '  graph [rankdir=TB, bgcolor="transparent", pad=0.2]',
        '  node [fontname="Helvetica", fontsize=12, style="rounded,filled", shape=box, margin="0.14,0.06"]',
        '  edge [fontname="Helvetica", fontsize=10, arrowsize=0.7]',
    )
    nodes = [_node(node) for node in drawn.nodes]
    edges = [_edge(drawn, edge) for edge in drawn.edges]
    return "\n".join([f"digraph {_quoted(drawn.title)} {{", *defaults, *nodes, *edges, "}", ""])


def render(dot: str, format: str) -> bytes:
    """DOT text as a file of any format Graphviz writes, by pygraphviz or else by `dot`.

    Raises:
        RuntimeError: neither is installed, or Graphviz could not draw it.
    """
    if find_spec("pygraphviz") is not None:
        import pygraphviz

        return bytes(pygraphviz.AGraph(string=dot).draw(format=format, prog="dot"))
    program = shutil.which("dot")
    if program is None:
        raise RuntimeError(ADVICE)
    done = subprocess.run([program, f"-T{format}"], input=dot.encode(), capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(
            f"Graphviz could not draw this as {format!r}: {done.stderr.decode(errors='replace').strip()}"
        )
    return done.stdout


def _node(node: SceneNode) -> str:
    paint = box_paint(node)
    label = "\n".join(filter(None, (node.title, node.subtitle, node.badge)))
    shape = {"style": "rounded,filled" + (",dashed" if paint.dash else ""), "penwidth": paint.thickness}
    colours = {"fillcolor": colour(paint.fill), "color": colour(paint.line), "fontcolor": colour("ink")}
    return f"  {_quoted(node.id)} [{_attributes({'label': label} | shape | colours)}]"


def _edge(drawn: Scene, edge: SceneEdge) -> str:
    ends = f"  {_quoted(drawn.nodes[edge.tail].id)} -> {_quoted(drawn.nodes[edge.head].id)}"
    paint = wire_paint(edge)
    line = colour(paint.line)
    attributes: dict[str, Any] = {"color": line, "style": "dashed" if paint.dash else "solid"}
    if edge.badge:
        attributes |= {"label": f" {edge.badge}", "fontcolor": line}
    return f"{ends} [{_attributes(attributes)}]"


def _attributes(attributes: dict[str, Any]) -> str:
    return ", ".join(f"{name}={_quoted(str(value))}" for name, value in attributes.items())


def _quoted(text: str) -> str:
    r"""A string of DOT. Backslashes are doubled, since labels know escapes such as \N; a line break becomes one.

    >>> print(_quoted('a "b" \\N'))
    "a \"b\" \\N"
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
