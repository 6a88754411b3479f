"""One model in Keras on TensorFlow, PyTorch and JAX: the same graph of Keras' functions, gradients and words."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.events import EventLog
from tests.recorders.keras_backends.logs import BACKENDS, functions, gradients, graph, layer_of, on_the_way

pytestmark = [
    *(pytest.mark.tensorflow, pytest.mark.torch, pytest.mark.jax),
    pytest.mark.skipif(find_spec("keras") is None, reason="Keras is not installed"),
]

HEALTHY = ("fit", "own_step", "stateless", "subclassed")
LAYERS = ("hidden", "norm", "shares", "batch", "logits")
FAULTY = {
    "held_back": ("stop_gradient", 12),
    "never_used": ("unused_source", 26),
    "switched_off": ("dead_activation", 12),
}
"""The planted fault of a program: its cause, and the user's line."""
SECONDS = 300

Logs = dict[str, dict[str, EventLog]]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Logs:
    """Program -> backend -> its log, of a process for each backend, all at once."""
    folder = tmp_path_factory.mktemp("keras")
    command = [sys.executable, "-W", "ignore", "-m", "tests.recorders.keras_backends"]
    running = [
        subprocess.Popen(
            [*command, each, str(folder)], stderr=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3]
        )
        for each in BACKENDS
    ]
    for each in running:
        _, said = each.communicate(timeout=SECONDS)
        assert each.returncode == 0, said
    return {
        program: {each: tv.load(folder / f"{each}.{program}.tape") for each in BACKENDS}
        for program in (*HEALTHY, *FAULTY)
    }


@pytest.mark.parametrize("program", HEALTHY)
def test_the_graphs_are_one_under_the_published_table(logs: Logs, program: str) -> None:
    ours, *others = (graph(log, backend) for backend, log in logs[program].items())
    assert all(each == ours for each in others)


@pytest.mark.parametrize("program", HEALTHY)
def test_layers_are_scopes_by_their_names(logs: Logs, program: str) -> None:
    for backend, log in logs[program].items():
        layers = list(dict.fromkeys(layer for layer, _, _ in functions(log, backend)))
        *met, _loss = [each for each in layers if each != "five"]  # whose own op is the subclassed model's rectifier
        assert met == [f"five/{each}" for each in LAYERS], backend


@pytest.mark.parametrize("program", HEALTHY)
def test_variables_have_the_names_of_keras_and_the_gradients_agree(logs: Logs, program: str) -> None:
    ours, *others = map(gradients, logs[program].values())
    kinds = {"norm": ("gamma", "beta"), "batch": ("gamma", "beta")}
    expected = {f"five/{layer}/{own}" for layer in LAYERS for own in kinds.get(layer, ("kernel", "bias"))}
    assert ours.keys() == expected
    for theirs in others:
        assert theirs.keys() == expected
        for name, gradient in ours.items():
            np.testing.assert_allclose(theirs[name], gradient, rtol=1e-5, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("program", HEALTHY)
def test_a_healthy_model_is_silent(logs: Logs, program: str) -> None:
    assert [list(tv.diagnose(log)) for log in logs[program].values()] == [[]] * len(BACKENDS)


@pytest.mark.parametrize(("program", "cause", "line"), [(name, *told) for name, told in FAULTY.items()])
def test_a_fault_is_told_in_the_same_words(logs: Logs, program: str, cause: str, line: int) -> None:
    said = {}
    for backend, log in logs[program].items():
        findings = tv.diagnose(log)
        assert findings
        for found in findings:
            assert found.cause == cause, backend
            assert found.site is not None
            assert found.site.line == line, backend
            assert Path(found.site.filename).stem == program
        said[backend] = "\n".join(map(str, findings))
        assert not any(word in said[backend] for word in ("keras/", "tf.", "torch", "jax"))
    assert len(set(said.values())) == 1, said


def test_what_a_step_differentiates_is_called_loss(logs: Logs) -> None:
    for log in logs["fit"].values():
        assert log.tensors[on_the_way(log)[-1].outputs[0]].name == "loss"


def test_a_layer_holds_no_scope_of_what_calls_it(logs: Logs) -> None:
    for log in logs["subclassed"].values():
        assert {layer_of(log, op).partition("/")[0] for op in on_the_way(log)} == {"five", "compile_loss"}
