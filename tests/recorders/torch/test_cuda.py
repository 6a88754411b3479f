"""PyTorch programs on a GPU: the log is that of the CPU, and recording makes nobody wait.

Skipped where PyTorch sees no GPU; what can be seen of it without one is in `test_devices.py`.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.events import EventLog
from tapeviz.replay import runs
from tapeviz.views.reports.text import text
from tests.recorders.recorded import recorded
from tests.recorders.torch.programs import PROGRAMS
from tests.recorders.torch.test_devices import ALIASES, training
from tests.recorders.torch.trainings import TRAININGS

torch = pytest.importorskip("torch")

if not torch.cuda.is_available():
    pytest.skip("PyTorch sees no GPU", allow_module_level=True)
pytestmark = pytest.mark.torch

WAITS = {"cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize", "cudaMemcpyAsync", "cudaMemcpy"}

OTHER_OPS = {"attention"}
"""Programs that PyTorch runs by other ops on a GPU."""


@pytest.fixture
def on_the_gpu() -> Iterator[None]:
    """Every tensor that a program makes is on the GPU."""
    with torch.device("cuda"):
        yield


def told(log: EventLog) -> dict[str, Any]:
    """What a log tells of a program but its numbers, which are drawn by another generator on a GPU."""
    ops, _, _ = text(log).partition("\ngradient of ")
    return {
        "ops": ops.splitlines(),
        "passes": [(run.targets, run.sources, [each is None for each in run.gradients or ()]) for run in runs(log)],
    }


@pytest.mark.parametrize("name", sorted(TRAININGS.keys() - OTHER_OPS))
def test_the_log_of_a_program_is_that_of_the_cpu(name: str) -> None:
    plain = told(recorded(TRAININGS[name]))
    with torch.device("cuda"):
        ours = told(recorded(TRAININGS[name]))
    assert ours == plain


@pytest.mark.parametrize("name", sorted(PROGRAMS))
@pytest.mark.usefixtures("on_the_gpu")
def test_values_and_gradients_are_read_when_somebody_asks(name: str) -> None:
    torch.manual_seed(0)
    with tv.record() as log:
        named, loss = PROGRAMS[name](torch)
        loss.backward()
    np.testing.assert_array_equal(log.value(log.id_of(loss)), loss.detach().cpu().numpy())
    (run,) = runs(log)[-1:]
    given = dict(zip(run.sources, run.gradients, strict=True))
    for tensor in named.values():
        if tensor.is_leaf and tensor.grad is not None:
            np.testing.assert_array_equal(log.value(given[log.id_of(tensor)]), tensor.grad.cpu().numpy())


def launched(step: Callable[[], Any]) -> tuple[Counter[str], Counter[str]]:
    """How often each of PyTorch's ops ran, and how often the program waited, copied or launched a kernel."""
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=activities) as profile:
        step()
    ops: Counter[str] = Counter()
    runtime: Counter[str] = Counter()
    for each in profile.key_averages():
        if each.key.startswith("aten::"):
            ops["aten::add" if each.key == "aten::add_" else each.key] += each.count
        elif each.key in WAITS or each.key.startswith("cudaLaunchKernel"):
            runtime[each.key] += each.count
    return ops, runtime


@pytest.mark.parametrize("options", [{}, {"values": "none"}, {"steps": 1}], ids=str)
def test_recording_adds_no_kernel_and_nothing_that_waits(options: dict[str, Any]) -> None:
    step = training("cuda")
    step()
    plain_ops, plain = launched(step)
    with tv.record(**options) as log:
        ops, ours = launched(step)
    assert plain["cudaLaunchKernel"] > 0
    assert ours == plain
    assert (ops - plain_ops).keys() <= ALIASES
    assert len(runs(log)) == options.get("steps", 2)


def peak(step: Callable[[], Any], **options: Any) -> tuple[int, int]:
    """The most memory of the GPU that three recorded steps had taken, and what is left taken when the log is gone."""
    gc.collect()
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    with tv.record(**options) as log:
        for _ in range(3):
            step()
    most = torch.cuda.max_memory_allocated() - before
    assert len(runs(log)) == 6
    del log
    gc.collect()
    return most, torch.cuda.memory_allocated() - before


def test_without_values_no_memory_of_the_gpu_is_held() -> None:
    step = training("cuda")
    step()
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    for _ in range(3):
        step()
    plain = torch.cuda.max_memory_allocated() - before
    assert peak(step, values="none") == (plain, 0)
    most, left = peak(step)
    assert most > plain
    assert left == 0


def test_values_on_the_gpu_count_against_the_budget() -> None:
    step = training("cuda")
    step()
    room = 64 * 64 * 4 * 10
    most, _ = peak(step)
    within, _ = peak(step, max_bytes=room)
    bare, _ = peak(step, max_bytes=0)
    assert bare <= within <= bare + 2 * room
    assert within < most


@pytest.mark.usefixtures("on_the_gpu")
def test_mixed_precision_with_a_scaler() -> None:
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cuda")
    x, y = torch.randn(16, 8), torch.randn(16, 1)
    before = [each.detach().clone() for each in net.parameters()]
    with tv.record() as log:
        for _ in range(3):
            optimizer.zero_grad()
            with torch.autocast("cuda", dtype=torch.float16):
                loss = torch.nn.functional.mse_loss(net(x), y)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
    assert any(not torch.equal(*pair) for pair in zip(before, net.parameters(), strict=True))
    assert len(runs(log)) == 3
    assert "float16" in {tensor.dtype for tensor in log.tensors}
    assert not tv.diagnose(log)


def test_a_leaf_that_was_moved_is_told() -> None:
    with tv.record() as log:
        w = torch.randn(3, requires_grad=True).to("cuda")
        loss = (w * 2).sum()
        loss.backward()
        with pytest.warns(UserWarning, match="leaf"):
            assert w.grad is None
    (finding,) = tv.diagnose(log)
    assert finding.cause == "non_leaf_grad"
    assert "torch.randn(3).to('cuda').requires_grad_()" in str(finding.fix)


def test_a_log_outlives_the_tensors_and_is_saved(tmp_path: Path) -> None:
    step = training("cuda")
    with tv.record() as log:
        loss = step()
    expected = loss.item()
    again = tv.load(tv.save(log, tmp_path / "gpu.tape"))
    assert float(again.value(log.id_of(loss))) == expected
    assert told(again) == told(log)


def test_a_graph_is_captured_and_replayed_under_record() -> None:
    x = torch.ones(4, device="cuda")
    weight = torch.full((4,), 2.0, device="cuda", requires_grad=True)
    with tv.record() as log:
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            (x * weight).sum().backward()  # what a captured pass needs was allocated before
        torch.cuda.current_stream().wait_stream(stream)
        weight.grad = None
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = (x * weight).sum()
            y.backward()
        x.fill_(3.0)
        graph.replay()
        torch.cuda.synchronize()
    assert weight.grad.tolist() == [3.0] * 4
    assert len(runs(log)) == 2
