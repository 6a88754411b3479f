"""What older versions of PyTorch lack, taken from this one: the log is the same without it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest

import tapeviz as tv
from tests.recorders.torch.programs import PROGRAMS

torch = pytest.importorskip("torch")
from tapeviz.recorders.torch import saved_hooks  # noqa: E402  # it imports PyTorch

pytestmark = pytest.mark.torch


def log_of(name: str, path: Path) -> bytes:
    torch.manual_seed(0)
    with tv.record() as log:
        PROGRAMS[name](torch)[1].backward()
    tv.save(log, path)
    return path.read_bytes()


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_a_function_written_in_python_is_entered(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    logs = []
    for _ in range(2):
        logs.append(log_of(name, tmp_path / "a.tape"))
        monkeypatch.delattr(torch._C, "_skip_one_hop_torch_function", raising=False)
    assert logs[0] == logs[1]


@contextmanager
def disabled() -> Iterator[None]:
    with torch.autograd.graph.disable_saved_tensors_hooks("none here"):
        yield
        assert torch._C._autograd._saved_tensors_hooks_get_disabled_error_message() == "none here"


@pytest.mark.parametrize(
    ("around", "expected"),
    [(nullcontext, False), (torch.autograd.graph.save_on_cpu, True), (disabled, False)],
)
def test_hooks_on_saved_tensors_are_noticed(around: Any, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    with around():
        shown = saved_hooks.has_saved_hooks()
        monkeypatch.setattr(saved_hooks, "_top", None)
        assert [shown, saved_hooks.has_saved_hooks()] == [expected, expected]
    assert torch._C._autograd._saved_tensors_hooks_is_enabled()
