"""Graph -> Findings about arrays of JAX's that outlived the trace of a function with its own derivative."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.edits.gradient_functions import without_static
from tapeviz.diagnosis.error.messages import MessagePart, errors_saying
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.places import words
from tapeviz.graph import Graph
from tapeviz.source.places import site_at
from tapeviz.source.text import SourceText, Texts

STATIC = "nondiff_argnums"
"""The keyword by which such a function says which of its arguments are no arrays."""


def escaped(graph: Graph) -> Iterator[Finding]:
    """A traced array was handed over in the place of a value that is no array."""
    texts, editor = Texts(graph.log), Editor(graph.log)
    for position, _ in errors_saying(graph, MessagePart.ESCAPED):
        failed = site_at(graph.log, position)
        if failed is None:
            continue
        text = texts.of(failed)
        for line in _lines_with(text, STATIC):
            site = text.whole_line(line, failed)
            yield Finding.at(
                graph.log,
                "custom_gradient_bug",
                site,
                f"An array that is being traced was kept beyond its trace, so the call at {words(failed)} failed. "
                f"`{STATIC}` at {words(site)} is for arguments that are no arrays: JAX closes over what it is given "
                "there.",
                Fix(
                    f"Leave an argument that may be an array out of `{STATIC}`, and give it a derivative too: zeros "
                    "for one that has none.",
                    without_static(editor, site, STATIC),
                ),
                position,
                severity="warning",
            )


def _lines_with(text: SourceText, keyword: str) -> list[int]:
    """The lines that hand a keyword over in a call."""
    calls = (node for node in text.walk() if isinstance(node, ast.Call))
    return sorted({each.value.lineno for call in calls for each in call.keywords if each.arg == keyword})
