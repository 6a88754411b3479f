"""Steps of PyTorch programs that Python bounds -> how many times as long they take in each mode of a recording.

The first mode is no recording: a function mode that hands each call on. `LIMITS` are the ratios to keep, where there
are any.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import partial
from importlib import import_module
from time import perf_counter, process_time
from typing import Any, NamedTuple

import tapeviz as tv
from benchmarks import torch_steps
from benchmarks.table import table
from benchmarks.timing import interleaved, ratio

Work = Callable[[], None]

MODES: dict[str, dict[str, Any]] = {
    "default": {},
    "values off": {"values": "none"},
    "norms": {"values": "norms"},
    "steps=3": {"steps": 3},
    "stop on nan": {"stop_on": "nan"},
}
"""How a column is called -> the options of `record`."""


class Row(NamedTuple):
    """A step that is done `times` in one recording, and the most it may take in each mode."""

    title: str
    make: Callable[[], Work]
    times: int
    limits: dict[str, float]


def tiny_ops() -> Work:
    """50 times a product of 8 x 8 and its tanh, forward and backward."""
    torch: Any = import_module("torch")
    torch.manual_seed(0)
    w, x = (torch.randn(8, 8) * 0.3).requires_grad_(), torch.randn(8, 8)

    def step() -> None:
        w.grad = None
        h = x
        for _ in range(50):
            h = torch.tanh(h @ w)
        h.sum().backward()

    return step


def deep_mlp(then: Callable[[Any], None] = lambda net: None) -> Work:
    """21 layers of 128 units, with AdamW, on 32 rows; what comes `then` is called with the model that has gradients."""
    torch: Any = import_module("torch")
    torch.manual_seed(0)
    layers = [layer for _ in range(21) for layer in (torch.nn.Linear(128, 128), torch.nn.ReLU())]
    net, x = torch.nn.Sequential(*layers), torch.randn(32, 128)
    optimizer = torch.optim.AdamW(net.parameters())

    def step() -> None:
        optimizer.zero_grad()
        net(x).square().mean().backward()
        then(net)
        optimizer.step()

    return step


def lstm() -> Work:
    """A cell of 32 units along 100 steps of 8 rows, with Adam."""
    torch: Any = import_module("torch")
    torch.manual_seed(0)
    cell, x = torch.nn.LSTMCell(16, 32), torch.randn(100, 8, 16)
    optimizer = torch.optim.Adam(cell.parameters())

    def step() -> None:
        state = torch.zeros(8, 32), torch.zeros(8, 32)
        optimizer.zero_grad()
        for row in x:
            state = cell(row, state)
        state[0].square().mean().backward()
        optimizer.step()

    return step


ROWS = (
    Row("50 x (8x8 matmul, tanh)", tiny_ops, 20, {"default": 2.5, "values off": 2.0, "norms": 2.2}),
    Row("MLP of 21 layers of 128, AdamW", deep_mlp, 200, {"default": 1.6, "steps=3": 1.5, "stop on nan": 1.6}),
    Row("transformer of 2 blocks", lambda: torch_steps.transformer().step, 10, {"default": 1.7, "values off": 1.4}),
    Row("LSTM of 100 steps", lstm, 5, {"default": 2.2, "values off": 1.7}),
)


def report(rounds: int) -> str:
    """Every row, in every mode, and what it takes to open and close an empty recording."""
    import_module("torch").set_num_threads(1)
    heads = ("ms plain", "bare mode", *MODES)
    steps = table("PyTorch: times as long as plain, in turns", heads, [_row(each, rounds) for each in ROWS])
    return "\n".join((steps, history(rounds), empty()))


def _row(row: Row, rounds: int) -> tuple[str, ...]:
    work = partial(_several, row.make(), row.times)
    turns = {"plain": partial(_lively, work), "bare mode": partial(_in_bare_mode, work)}
    turns |= {name: partial(_recorded, work, options) for name, options in MODES.items()}
    timings = interleaved(turns, rounds=max(3, rounds * 10 // row.times))
    plain = 1e3 * min(timings["plain"].values()) / row.times
    cells = [(f"{ratio(timings, name, 'plain'):.2f}", row.limits.get(name)) for name in turns if name != "plain"]
    return row.title, f"{plain:.2f}", *(cell if limit is None else f"{cell} [{limit}]" for cell, limit in cells)


def _several(step: Work, times: int) -> None:
    for _ in range(times):
        step()


def _lively(work: Work) -> float:
    """The seconds of a call of the process's own, with the garbage collector at work as in any program."""
    gc.collect()
    begin = process_time()
    work()
    return process_time() - begin


def _recorded(work: Work, options: dict[str, Any]) -> float:
    with tv.record(**options):
        return _lively(work)


def _in_bare_mode(work: Work) -> float:
    class Bare(import_module("torch.overrides").TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return func(*args, **(kwargs or {}))

    with Bare():
        return _lively(work)


def history(rounds: int, times: int = 10) -> str:
    """A line of a `History` for each step of the MLP: of its gradients, and of a recording of the step."""
    step, steps = deep_mlp(), tv.History()

    def recorded() -> None:
        for _ in range(times):
            with tv.record() as log:
                step()
            steps.add(log)

    turns = {"plain": partial(_lively, partial(_several, step, times)), "of a recording": partial(_lively, recorded)}
    turns["of the model"] = partial(_lively, partial(_several, deep_mlp(tv.History().add), times))
    timings = interleaved(turns, rounds=max(3, rounds))
    took = {of: ratio(timings, of, "plain") for of in turns}
    told = f"{took['of the model']:.2f} [1.3], of a recording of the step {took['of a recording']:.2f}"
    return f"the MLP with a History at every step, times as long as plain: of the model {told}"


def empty(times: int = 50) -> str:
    """What an empty recording takes: the median of some."""

    def once() -> float:
        begin = perf_counter()
        with tv.record():
            pass
        return perf_counter() - begin

    once()
    taken = sorted(once() for _ in range(times))
    return f"an empty recording, opened and closed: {1e3 * taken[times // 2]:.2f} ms [0.2]"
