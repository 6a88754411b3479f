"""EventLog -> an object of the `graphviz` package; DOT text -> a picture by Graphviz."""

from __future__ import annotations

import shutil
import subprocess
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from tapeviz.views.drawing.to_dot import to_dot

if TYPE_CHECKING:
    import graphviz

ADVICE = (
    'Neither pygraphviz nor the program `dot` is here. Install one: `pip install "tapeviz[graphviz]"` (brings Graphviz '
    "with it), or Graphviz itself: `apt install graphviz`, `brew install graphviz`, `winget install graphviz`. "
    "`draw(...)` without `engine=` needs neither."
)


def to_graphviz(log_or_tape: Any) -> graphviz.Source:
    """The picture of a log as an object of the `graphviz` package, which shows itself in a notebook.

    Showing it needs Graphviz's `dot`; making it does not.

    Args:
        log_or_tape: a log, or anything with `.log`, such as a tape.

    Returns:
        A `graphviz.Source`.

    Raises:
        TypeError: `log_or_tape` neither is a log nor has one.
        ModuleNotFoundError: the package `graphviz` is not installed.

    >>> import tapeviz as tv
    >>> x = tv.Variable(3.0, name="x")
    >>> with tv.GradientTape() as tape:
    ...     y = x * x
    >>> type(to_graphviz(tape)).__name__
    'Source'
    """
    import graphviz

    return graphviz.Source(to_dot(log_or_tape))


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
