"""Training steps in PyTorch -> what watching them costs: tapeviz, PyTorch's anomaly detection, TorchLens.

python -m benchmarks.torch_steps [--rounds N]

Here every turn is a recording of one step, with what it takes to begin and to end it; `benchmarks.recorders` has
recordings of many.
"""

from __future__ import annotations

import os

if __name__ == "__main__":
    os.environ |= {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}

from argparse import ArgumentParser
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from benchmarks.table import table
from benchmarks.timing import interleaved, ratio, turn

Work = Callable[[], None]


class Training(NamedTuple):
    """A module, its input, and a step of Adam on the mean square of its output."""

    net: Any
    x: Any
    step: Work


def transformer() -> Training:
    """Two blocks, d = 128, on 2 x 64 tokens."""
    torch: Any = import_module("torch")
    torch.manual_seed(0)
    block = torch.nn.TransformerEncoderLayer(128, 4, 512, dropout=0.0, batch_first=True)
    return _training(torch.nn.TransformerEncoder(block, 2, enable_nested_tensor=False), torch.randn(2, 64, 128))


def mlp() -> Training:
    """100 ops: 50 layers of 8 units with their activations, on 4 rows."""
    torch: Any = import_module("torch")
    torch.manual_seed(0)
    layers = [layer for _ in range(50) for layer in (torch.nn.Linear(8, 8), torch.nn.Tanh())]
    return _training(torch.nn.Sequential(*layers), torch.randn(4, 8))


def _training(net: Any, x: Any) -> Training:
    torch: Any = import_module("torch")
    torch.set_num_threads(1)
    optimizer = torch.optim.Adam(net.parameters())

    def step() -> None:
        optimizer.zero_grad()
        net(x).square().mean().backward()
        optimizer.step()

    return Training(net, x, step)


def recorded(step: Work, **options: Any) -> None:
    """The step under `record()`."""
    with import_module("tapeviz").record(**options):
        step()


def with_anomalies(step: Work) -> None:
    """The step under PyTorch's own search for bad gradients."""
    with import_module("torch").autograd.detect_anomaly(check_nan=True):
        step()


def report(name: str, training: Training, rounds: int) -> str:
    """One step: everybody's time as a multiple of the plain step's."""
    step = training.step
    ways: dict[str, Work] = {
        "plain": step,
        "tapeviz": partial(recorded, step),
        "tapeviz, values off": partial(recorded, step, values="none"),
        "detect_anomaly": partial(with_anomalies, step),
    }
    if find_spec("torchlens") is not None:
        ways["TorchLens, forward alone"] = partial(import_module("torchlens").trace, training.net, training.x)
    timings = interleaved({way: partial(turn, work) for way, work in ways.items()}, rounds=rounds)
    return table(f"PyTorch, {name}", ("times plain",), [(way, f"{ratio(timings, way, 'plain'):.2f}") for way in ways])


def main() -> None:
    parser = ArgumentParser("python -m benchmarks.torch_steps", description=__doc__)
    parser.add_argument("--rounds", type=int, default=25)
    rounds = parser.parse_args().rounds
    for name, make in (("transformer of 2 blocks", transformer), ("MLP of 100 ops", mlp)):
        print(report(name, make(), rounds), flush=True)


if __name__ == "__main__":
    main()
