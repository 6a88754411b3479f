"""`python -m tests.recorders.torch.compiled_trainings [--backend NAME]`: what a recording changes of compiled models.

Each is trained for three steps, alone and in a recording that begins before the first or after it: all numbers are to
be the same, bit by bit, and so is how much was compiled. Nodes on the way back are to be at forward ops and lines.
"""

from __future__ import annotations

import argparse
from typing import Any

import torch

import tapeviz as tv
from tapeviz.events import EventLog, NodeTraced
from tests.recorders.torch.compiled_programs import HEALTHY, ODD, Model

ALL = {**HEALTHY, **ODD}


class Trained:
    """A model that has been trained for some steps: all numbers, and how much was compiled for that."""

    def __init__(self, model: Model, backend: str, steps: int = 3, before: int = 0) -> None:
        torch._dynamo.reset()
        torch._dynamo.utils.counters.clear()
        torch.manual_seed(0)
        self.module, self.inputs = model()
        self.compiled = torch.compile(self.module, backend=backend)
        wanted = [each for each in self.module.parameters() if each.requires_grad]
        self.optimizer = torch.optim.SGD(wanted, lr=0.01, momentum=0.9, weight_decay=0.1)
        self.numbers: list[Any] = []
        for _ in range(before):
            self.step()

    def step(self) -> None:
        self.optimizer.zero_grad()
        found = self.compiled(*self.inputs)
        outputs = found if isinstance(found, tuple) else (found,)
        loss = sum((each.float() * torch.linspace(0.5, 1.5, each.numel()).view_as(each)).mean() for each in outputs)
        loss.backward()
        leaves = [each for each in (*self.module.parameters(), *self.inputs) if each.requires_grad]
        self.numbers += [*outputs, loss, *(each.grad for each in leaves)]
        self.optimizer.step()
        self.numbers += [*self.module.parameters(), *self.module.buffers()]
        self.numbers = [each if each is None else each.detach().clone() for each in self.numbers]

    @property
    def compilations(self) -> dict[str, Any]:
        counters = torch._dynamo.utils.counters
        return {name: dict(counters[name]) for name in ("stats", "frames", "graph_break")}


def equal(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    return one.dtype is other.dtype and torch.equal(torch.nan_to_num(one), torch.nan_to_num(other))


def recorded(model: Model, backend: str, before: int = 0) -> tuple[Trained, EventLog]:
    """The model trained in a recording, and its log; some steps come `before` it."""
    trained = Trained(model, backend, before=before)
    with tv.record(functions="graph") as log:
        for _ in range(3 - before):
            trained.step()
    return trained, log


def alone(model: Model, backend: str) -> Trained:
    trained = Trained(model, backend)
    for _ in range(3):
        trained.step()
    return trained


def placed(log: EventLog) -> tuple[int, int]:
    """How many nodes on the way back are at a forward op and at a line, and how many there are."""
    back = [each for each in log.of_kind(NodeTraced).values() if each.part == "backward"]
    return sum(each.of is not None and each.site is not None for each in back), len(back)


def main() -> None:
    """Train all of them, and print what is not as it was."""
    parser = argparse.ArgumentParser(prog="python -m tests.recorders.torch.compiled_trainings", description=__doc__)
    parser.add_argument("--backend", default="aot_eager", help="what compiles them: aot_eager or inductor")
    backend = parser.parse_args().backend
    same = at_lines = nodes = 0
    for name, model in ALL.items():
        expected = alone(model, backend)
        numbers, compilations = expected.numbers, expected.compilations
        wrong = []
        for before in (0, 1):
            trained, log = recorded(model, backend, before)
            if len(trained.numbers) != len(numbers) or not all(map(equal, trained.numbers, numbers)):
                wrong.append("other bits")
            if trained.compilations != compilations:
                wrong.append(f"compiled otherwise: {trained.compilations}, not {compilations}")
            if not before:
                found, there = placed(log)
                at_lines, nodes = at_lines + found, nodes + there
        same += not wrong
        if wrong:
            print(f"{name}: {', '.join(wrong)}", flush=True)
    print(f"{backend}: {same} of {len(ALL)} models are as without a recording, bit by bit")
    print(f"{at_lines} of {nodes} nodes on the way back are at a forward op and at a line")


if __name__ == "__main__":
    main()
