"""A program in PyTorch -> the picture that another tool makes of it, in a process of its own, within a time limit.

python -m benchmarks.peers TOOL PROGRAM FOLDER     prints the seconds to the file, and its path

The same programs as those of `benchmarks.pages`. Recording is not counted where a tool does it apart from drawing;
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


def module(program: str) -> tuple[Any, Any]:
    """A program as an `nn.Module` that returns its loss, and its input."""
    import torch
    from torch import nn

    torch.manual_seed(0)
    name, _, size = program.partition(" ")
    count = int(size)

    class Chain(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.x = nn.Parameter(torch.tensor(1.0))

        def forward(self, start: Any) -> Any:
            y = start * self.x
            for _ in range(count):
                y = torch.sin(y)
                y = y * 1.01
                y = y + self.x
            return y

    class Block(nn.Module):
        def __init__(self, width: int = 16) -> None:
            super().__init__()
            shapes = dict.fromkeys("qkvo", (width, width)) | {"u": (width, 4 * width), "d": (4 * width, width)}
            shapes |= {"scale": (width,), "shift": (width,)}
            for name, shape in shapes.items():
                self.register_parameter(name, nn.Parameter(0.2 * torch.randn(*shape)))

        def norm(self, x: Any) -> Any:
            mean = x.mean(-1, keepdim=True)
            variance = ((x - mean) ** 2).mean(-1, keepdim=True)
            return (x - mean) / torch.sqrt(variance + 1e-5) * self.scale + self.shift

        def forward(self, x: Any) -> Any:
            h = self.norm(x)
            q, k, v = h @ self.q, h @ self.k, h @ self.v
            x = x + torch.softmax(q @ k.T / 4.0, -1) @ v @ self.o
            return x + torch.relu(self.norm(x) @ self.u) @ self.d

    class Transformer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.blocks = nn.ModuleList(Block() for _ in range(count))

        def forward(self, x: Any) -> Any:
            for block in self.blocks:
                x = block(x)
            return (x**2).mean()

    class Recurrent(nn.Module):
        def __init__(self, width: int = 16) -> None:
            super().__init__()
            self.w, self.u, self.b = (
                nn.Parameter(0.3 * torch.randn(*shape)) for shape in ((8, width), (width, width), (width,))
            )

        def forward(self, inputs: Any) -> Any:
            state = inputs.new_zeros(4, 16)
            for x in inputs:
                state = torch.tanh(x @ self.w + state @ self.u + self.b)
            return (state**2).mean()

    made = {"chain": Chain, "transformer": Transformer, "rnn": Recurrent}[name]()
    given = {"chain": torch.tensor(1.0), "transformer": torch.randn(8, 16), "rnn": torch.randn(count, 4, 8)}[name]
    return made, given


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
    name, program, folder = sys.argv[1:]
    found = TOOLS[name](*module(program), Path(folder))
    print(json.dumps([found.seconds, str(found.path), found.painted]))
