"""Graph -> Findings about arrays that a function asks for their numbers while JAX traces it: they have none yet.

Or for which it has Python called later, through which no gradient passes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.error.messages import MessagePart, errors_saying
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.fixes import in_tensors
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import Site
from tapeviz.graph import Graph
from tapeviz.phrases import listed
from tapeviz.source.lines import is_of_numpy, numpy_calls
from tapeviz.source.places import site_at


class _Refusal(NamedTuple):
    """What an array was asked for, and the fix; None: to stay in arrays, as the line shows."""

    what: str
    fix: str | None = None


REFUSED = {
    MessagePart.TRACED_TO_NUMPY: _Refusal("its numbers, for NumPy"),
    MessagePart.TRACED_TO_NUMBER: _Refusal(
        "its number, for Python",
        "Go on with the array in place of the number. What only Python can take, as a size or how often a loop runs, "
        "comes in as an argument that is not differentiated, or from a `shape`.",
    ),
    MessagePart.TRACED_TO_INDEX: _Refusal(
        "its number, as an index of Python's",
        "Index a `jnp` array by it, not a list; `jnp.stack` makes one of several.",
    ),
    MessagePart.TRACED_TO_TRUTH: _Refusal(
        "its truth, for a choice of Python's",
        "Write the choice with `jnp.where`, or with `jax.lax.cond` where only one way may be computed.",
    ),
    MessagePart.TRACED_MASK: _Refusal(
        "how many entries a mask picks",
        "Keep all entries, and put in place of the others what changes nothing: `jnp.where(mask, x, 0.0)`.",
    ),
}
"""Part of JAX's message -> what it refuses."""


def read_while_traced(graph: Graph) -> Iterator[Finding]:
    """A function reads an array before there are numbers in it, and that was the end of the trace."""
    editor = Editor(graph.log)
    for part, request in REFUSED.items():
        for position, _ in errors_saying(graph, part):
            site = site_at(graph.log, position)
            function = _asking(editor, site) if part == MessagePart.TRACED_TO_NUMPY else None
            who = "the program" if function is None else f"`{function}`"
            yield Finding.at(
                graph.log,
                "left_to_numpy",
                site,
                f"At {words(site)}, {who} asks an array for {request.what}, while JAX traces the function: the array "
                "stands for whatever may come there, and JAX refuses.",
                request.fix or _in_arrays(editor, site),
                position,
            )


def _asking(editor: Editor, site: Site | None) -> str | None:
    """The function of NumPy's that an error came from; of those at a line whose columns are not known, any."""
    node = editor.node(site)
    called = node if isinstance(node, ast.Call) and is_of_numpy(node) else None
    return ast.unparse(called.func) if called is not None else next(iter(numpy_calls(site)), None)


def _in_arrays(editor: Editor, site: Site | None) -> Fix:
    """What to write in place of NumPy's functions, all of which JAX has by the same names but those of chance."""
    fix = in_tensors(editor, site, ".item()")
    names = [each for each in dict.fromkeys(numpy_calls(site)) if ".random." not in each]
    if fix.edit is not None or not names:
        return fix
    pairs = [f"`jnp.{each.partition('.')[2]}` for `{each}`" for each in names]
    return Fix(f"Stay in arrays: use {listed(pairs)}.")


def called_back(graph: Graph) -> Iterator[Finding]:
    """A gradient is asked for through a function of Python's that JAX calls as the program runs."""
    for position, _ in errors_saying(graph, MessagePart.OF_A_CALLBACK):
        site = site_at(graph.log, position)
        yield Finding.at(
            graph.log,
            "left_to_numpy",
            site,
            f"At {words(site)}, a callback hands arrays to a function of Python's, of which JAX knows no derivative: "
            "no gradient passes there, and JAX raises an error.",
            "Compute the same with `jnp` functions, or wrap the callback in a function with `jax.custom_vjp` or "
            "`jax.custom_jvp`, and give its derivative. If no gradient is to pass, hand it "
            "`jax.lax.stop_gradient` of what it reads.",
            position,
        )


RULES = (read_while_traced, called_back)
