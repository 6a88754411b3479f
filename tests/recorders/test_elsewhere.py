"""What ran where a recording cannot look: one node, or one scope, that says so."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tapeviz as tv

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
