"""EventLog -> DOT, the language of Graphviz."""

from __future__ import annotations

from typing import Any

from tapeviz.markup.theme import colour
from tapeviz.views.drawing.picture import box_paint, wire_paint
from tapeviz.views.reading import read
from tapeviz.views.scene import Scene, SceneEdge, SceneNode, scene


def to_dot(log_or_tape: Any) -> str:
    r"""The picture of a log as DOT text, for Graphviz to lay out.

    Args:
        log_or_tape: a log, or anything with `.log`, such as a tape.

    Returns:
        The text of a `digraph`, whose nodes are the boxes of the picture as it opens.

    Raises:
        TypeError: `log_or_tape` neither is a log nor has one.

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


def text(drawn: Scene) -> str:
    """A scene as DOT, without its layout."""
    defaults = (
        f'  graph [rankdir={"LR" if drawn.across else "TB"}, bgcolor="transparent", pad=0.2]',
        '  node [fontname="Helvetica", fontsize=12, style="rounded,filled", shape=box, margin="0.14,0.06"]',
        '  edge [fontname="Helvetica", fontsize=10, arrowsize=0.7]',
    )
    nodes = [_node(node) for node in drawn.nodes]
    edges = [_edge(drawn, edge) for edge in drawn.edges]
    return "\n".join([f"digraph {_quoted(drawn.title)} {{", *defaults, *nodes, *edges, "}", ""])


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
