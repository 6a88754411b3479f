"""A graph of many nodes, which the recorder has looked at, is freed: in a process of its own, which would end."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.torch
pytest.importorskip("torch")

PROGRAM = """
import threading
import torch
import tapeviz as tv

def run():
    with tv.record() as log:
        w = (torch.eye(2) * 0.9).requires_grad_()
        h = torch.ones(1, 2)
        for _ in range(8000):
            h = torch.tanh(h @ w)
        h.sum().backward({retain})
        {more}
        del h

threading.stack_size(1 << 20)  # an eighth of what is usual, so that fewer nodes do
thread = threading.Thread(target=run)
thread.start()
thread.join()
print("freed")
"""


@pytest.mark.parametrize(("retain", "more"), [("", "pass"), ("retain_graph=True", "h.sum().backward()")])
def test_it_is_freed_node_by_node(retain: str, more: str) -> None:
    program = PROGRAM.format(retain=retain, more=more)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout == "freed\n", done.stderr
