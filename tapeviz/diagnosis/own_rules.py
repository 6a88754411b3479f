"""An op of the user's own -> its gradient function in the source: where it ends, whether it reads what came in.

A writer that saw the function says where it is defined, whatever it is called and however it was handed over; else it
is looked for by the name of the op.
"""

from __future__ import annotations

from dataclasses import replace

from tapeviz.events import Site
from tapeviz.events.catalog import RULE
from tapeviz.graph import Graph
from tapeviz.source.filenames import base_name
from tapeviz.source.gradient_functions import (
    GradientFunction,
    defined_at,
    end_of,
    ignores_upstream,
    is_without_upstream,
    last_line,
)
from tapeviz.source.places import site_at
from tapeviz.source.text import Texts


def gradient_function(graph: Graph, texts: Texts, position: int) -> Site | None:
    """Where the gradient function of a user's op ends; where that cannot be told, the line that called the op."""
    site, name = site_at(graph.log, position), graph.ops[position].op
    near, function = _defined(graph, texts, position, site)
    if near is None:
        return site
    line = last_line(texts.of(near), name) if function is None else end_of(function)
    return site if line is None else replace(texts.of(near).whole_line(line, near), function=name)


def is_in_the_text(graph: Graph, texts: Texts, position: int) -> bool:
    """Whether the gradient function of a user's op stands in a file that the log has."""
    near, function = _defined(graph, texts, position, site_at(graph.log, position))
    return function is not None or (near is not None and last_line(texts.of(near), graph.ops[position].op) is not None)


def forgets_upstream(graph: Graph, texts: Texts, position: int) -> bool:
    """Whether the gradient function of a user's op reads no number of the upstream gradients that it is given."""
    near, function = _defined(graph, texts, position, site_at(graph.log, position))
    if function is not None:
        return is_without_upstream(function)
    return near is not None and ignores_upstream(texts.of(near), graph.ops[position].op)


def _defined(
    graph: Graph, texts: Texts, position: int, site: Site | None
) -> tuple[Site | None, GradientFunction | None]:
    """The gradient function that a writer saw, and a site in its file; else the site that is given."""
    told = dict(graph.ops[position].attrs).get(RULE)
    if not isinstance(told, tuple):
        return site, None
    filename, line, *upstream = told
    sites = (each for each in ((site,) if site is not None else ()) + tuple(graph.log.sites))
    near = next((each for each in sites if base_name(each.filename) == filename), None)
    if near is None or not isinstance(line, int):
        return site, None
    function = defined_at(texts.of(near), line, [str(each) for each in upstream])
    return (site, None) if function is None else (near, function)
