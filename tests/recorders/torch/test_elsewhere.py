"""What ran where a recording cannot look: one node, or one scope, that says so."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.events import ErrorRaised, OpRecorded, VjpApplied

pytestmark = pytest.mark.torch

LOADS = """
import json, torch, tapeviz as tv
from tapeviz.events import OpRecorded, OpSkipped
from torch.utils.data import DataLoader, TensorDataset

def run():
    w = torch.ones(3, requires_grad=True)
    data = TensorDataset(torch.ones(4, 3), torch.arange(4))
    for x, y in DataLoader(data, batch_size=2, num_workers=2):
        (x * w).sum().backward()
    return w.grad

if __name__ == "__main__":
    plain = run()
    with tv.record() as log:
        same = run()
    tv.diagnose(log)
    tv.draw(log, "drawn.svg")
    tv.save(log, "log")
    made = [each for each in log.events if isinstance(each, (OpRecorded, OpSkipped))]
    ops = [(each.op, len(each.inputs), len(each.outputs), dict(each.attrs)) for each in made]
    print(json.dumps([torch.equal(plain, same), ops]))
"""


@pytest.mark.slow
def test_a_batch_of_a_loaders_workers_is_one_node(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "loads.py").write_text(LOADS)
    environment = os.environ | {"PYTHONPATH": str(Path(tv.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "loads.py"], cwd=tmp_path, env=environment, capture_output=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr.decode()
    same, ops = json.loads(done.stdout)
    assert same
    why = {"why": "made in other processes, which are not recorded"}
    assert [op[:3] for op in ops] == [["DataLoader with 2 workers", 0, 2], ["mul", 2, 1], ["reduce_sum", 1, 1]] * 2
    assert [op[3] for op in ops if op[0].startswith("DataLoader")] == [why, why]


def test_a_graph_made_before_is_in_a_scope_that_says_so() -> None:
    torch: Any = pytest.importorskip("torch")
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    h = torch.exp(w * 2.0)
    with tv.record() as log:
        (h * 3.0).sum().backward()
    places = {each.op: log.scopes[each.scope].name for each in log.events if hasattr(each, "saved")}
    assert places["exp"] == "made unseen, earlier or in another thread"
    assert places["reduce_sum"] == "test_a_graph_made_before_is_in_a_scope_that_says_so"


def burn(torch: Any, upto: int) -> None:
    """Make autograd nodes in this thread until it has counted as many."""
    spare = torch.ones(1, requires_grad=True)
    while torch._C._autograd._get_sequence_nr() < upto:
        spare * 1.0


def terms(log: Any) -> tuple[Any, Any, dict[int, Any]]:
    """The loss, the two ops whose sum it is, and all ops by their output."""
    made = {output: each for each in log.events if hasattr(each, "saved") for output in each.outputs}
    loss = made[log.id_of("loss")]
    return loss, [made[each] for each in loss.inputs], made


def test_what_ran_before_the_recording_has_the_attributes_that_its_nodes_keep() -> None:
    torch = pytest.importorskip("torch")
    x = torch.ones(2, 3, requires_grad=True)
    ran = {
        "softmax": (torch.softmax(x, -1), {"axis": -1}),
        "reduce_sum": (x.sum((0, -1), keepdim=True), {"axis": (0, -1), "keepdims": True}),
        "leaky_relu": (torch.nn.functional.leaky_relu(x, -0.5), {"alpha": -0.5}),
        "gelu": (torch.nn.functional.gelu(x, approximate="tanh"), {"approximate": "tanh"}),
    }
    for name, (result, attributes) in ran.items():
        with tv.record() as log:
            result.backward(torch.ones_like(result))
        (op,) = (event for event in log.events if isinstance(event, OpRecorded))
        assert (op.op, dict(op.attrs)) == (name, attributes)


@pytest.mark.parametrize("ahead", [0, 1, 2, 3, 4, 500])
@pytest.mark.parametrize("pooled", [True, False])
@pytest.mark.parametrize("shared", ["a leaf", "a result", "a result that is gone"])
def test_a_graph_of_another_thread_is_not_taken_for_ours(ahead: int, pooled: bool, shared: str) -> None:
    torch: Any = pytest.importorskip("torch")
    count = torch._C._autograd._get_sequence_nr
    w = torch.tensor([0.3, 0.7], requires_grad=True)
    found: list[Any] = []

    def second(h: Any, upto: int) -> None:
        burn(torch, upto)
        found.append(torch.exp(h).prod())

    with tv.record() as log:
        first = count()
        a = w * 3.0
        d = a.sin().cos().sum()
        h = {"a leaf": w, "a result": a, "a result that is gone": torch.tanh(w)}[shared]
        if pooled:
            with ThreadPoolExecutor(1) as pool:
                pool.submit(second, h, first + ahead).result()
        else:
            thread = Thread(target=second, args=(h, first + ahead))
            thread.start()
            thread.join()
            del thread
        del h
        u = found.pop()
        e = torch.sqrt(d + 4.0)
        loss = e + u
        loss.backward()
    got = w.grad.clone()
    with torch.enable_grad():
        v = torch.tensor([0.3, 0.7], requires_grad=True)
        mine = {"a leaf": v, "a result": v * 3.0, "a result that is gone": torch.tanh(v)}[shared]
        (torch.sqrt((v * 3.0).sin().cos().sum() + 4.0) + torch.exp(mine).prod()).backward()
    assert torch.allclose(got, v.grad)

    _, (ours, theirs), made = terms(log)
    assert (ours.op, theirs.op) == ("sqrt", "reduce_prod")
    assert log.scopes[theirs.scope].name == "made unseen, in another thread"
    assert log.scopes[ours.scope].name == "test_a_graph_of_another_thread_is_not_taken_for_ours"
    exp = made[theirs.inputs[0]]
    assert exp.op == "exp"
    assert exp.scope == theirs.scope
    source = exp.inputs[0]
    if shared == "a leaf":
        assert source == log.id_of("w")
    elif shared == "a result":
        assert source == log.id_of("a")
    else:
        assert (made[source].op, made[source].inputs) == ("tanh", (log.id_of("w"),))
    pulled = [log.events[each.op].op for each in log.events if isinstance(each, VjpApplied)]
    assert pulled.count("exp") == pulled.count("reduce_prod") == pulled.count("sin") == pulled.count("cos") == 1


def test_a_graph_of_another_thread_leads_back_into_ours() -> None:
    """What our thread made and let go of, and still uses, is our op; a second derivative goes the same way."""
    torch: Any = pytest.importorskip("torch")

    class Twice(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2.0

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2.0

    w = torch.tensor([0.3, 0.7], requires_grad=True)
    found: list[Any] = []

    def second(h: Any, upto: int) -> None:
        burn(torch, upto)
        low, high = Twice.apply(h).exp().split(1)
        found.append((low * high).sum())

    with tv.record() as log:
        first = torch._C._autograd._get_sequence_nr()
        h = torch.tanh(w)
        k = (h * h).cos().sin().sin().sin().sin().sum()
        thread = Thread(target=second, args=(h, first))
        thread.start()
        thread.join()
        del h, thread
        loss = k + found.pop()
        (g,) = torch.autograd.grad(loss, w, create_graph=True)
        g.sum().backward()
    _, (ours, theirs), made = terms(log)
    assert ours.op == theirs.op == "reduce_sum"
    low, high = made[theirs.inputs[0]].inputs
    assert low != high
    assert made[low] is made[high]
    twice = made[made[made[low].inputs[0]].inputs[0]]
    tanh = made[twice.inputs[0]]
    assert (made[low].op, tanh.op, tanh.inputs) == ("split", "tanh", (log.id_of("w"),))
    assert not log.scopes[tanh.scope].name.startswith("made unseen")
    assert [each.op for each in made.values()].count("tanh") == 1
    one, half = torch.tensor([0.3, 0.7], requires_grad=True), torch.tanh
    again = half(one)
    total = (again * again).cos().sin().sin().sin().sin().sum() + (again * 2.0).exp().prod()
    (g,) = torch.autograd.grad(total, one, create_graph=True)
    g.sum().backward()
    assert torch.allclose(w.grad, one.grad)


def test_an_optimizer_that_is_refused_in_another_thread_is_none_of_ours() -> None:
    torch = pytest.importorskip("torch")

    def refused() -> None:
        with pytest.raises(ValueError, match="empty parameter list"):
            torch.optim.SGD([])

    with tv.record() as log:
        torch.ones(2)
        other = Thread(target=refused)
        other.start()
        other.join()
        assert not log.of_kind(ErrorRaised)
        refused()
    assert len(log.of_kind(ErrorRaised)) == 1
