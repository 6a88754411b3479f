"""A program in PyTorch -> the picture that another tool makes of it, in a process of its own, within a time limit.

python -m benchmarks.peers TOOL PROGRAM FOLDER     prints the seconds to the file, and its path

The programs are those of `peer_programs`. Recording is not counted where a tool does it apart from drawing;
torchvista does both at once.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

PATIENCE = 180
"""Seconds that a tool may take."""


class Drawn(NamedTuple):
    """What a tool made: how long it took, and a selector for what is there once it is painted."""

    seconds: float
    path: Path
    painted: str


def torchlens(made: Any, given: Any, folder: Path) -> Drawn:
    """The forward and the backward graph in one, by Graphviz."""
    import torchlens as tool

    trace = tool.trace(made, [given])
    trace.log_backward(trace[trace.output_layers[0]].out)
    return timed(
        lambda: trace.draw_combined(str(folder / "graph"), vis_fileformat="svg", vis_save_only=True),
        folder / "graph.svg",
        "svg",
    )


def torchviz(made: Any, given: Any, folder: Path) -> Drawn:
    """The graph of autograd, by Graphviz."""
    import torchviz as tool

    loss = made(given)
    return timed(
        lambda: tool.make_dot(loss, dict(made.named_parameters())).render(str(folder / "graph"), format="svg"),
        folder / "graph.svg",
        "svg",
    )


def torchview(made: Any, given: Any, folder: Path) -> Drawn:
    """The forward graph, by Graphviz."""
    import torchview as tool

    graph = tool.draw_graph(made, [given], depth=10, expand_nested=True).visual_graph
    return timed(lambda: graph.render(str(folder / "graph"), format="svg"), folder / "graph.svg", "svg")


def torchvista(made: Any, given: Any, folder: Path) -> Drawn:
    """The forward graph as a page that lays itself out."""
    import torchvista as tool

    path = folder / "graph.html"
    return timed(
        lambda: tool.trace_model(
            made, (given,), collapse_modules_after_depth=10, export_format="html", export_path=str(path)
        ),
        path,
        "svg .node, svg g.node, svg rect",
    )


TOOLS: dict[str, Callable[[Any, Any, Path], Drawn]] = {
    each.__name__: each for each in (torchlens, torchviz, torchview, torchvista)
}


def timed(draw: Callable[[], object], path: Path, painted: str) -> Drawn:
    """Draw, and say how long it took."""
    start = perf_counter()
    draw()
    return Drawn(perf_counter() - start, path, painted)


def installed() -> list[str]:
    """The tools that are here."""
    return [name for name in TOOLS if find_spec(name) and find_spec("torch")]


def drawn(tool: str, program: str, folder: Path) -> Drawn | str:
    """What a tool makes of a program, or why there is nothing."""
    command = [sys.executable, "-m", "benchmarks.peers", tool, program, str(folder)]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    start = perf_counter()
    with subprocess.Popen(command, **pipes, start_new_session=True) as process:
        try:
            told, wrong = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # with the `dot` that it waits for
            return f"> {PATIENCE} s"
    if process.returncode:
        error = (wrong.strip().splitlines() or ["failed"])[-1].partition(":")[0].rpartition(".")[2]
        return f"{error} after {perf_counter() - start:.0f} s"
    seconds, path, painted = json.loads(told.splitlines()[-1])
    return Drawn(seconds, Path(path), painted)


if __name__ == "__main__":
    from benchmarks import peer_programs

    name, program, folder = sys.argv[1:]
    found = TOOLS[name](*peer_programs.made(program), Path(folder))
    print(json.dumps([found.seconds, str(found.path), found.painted]))
