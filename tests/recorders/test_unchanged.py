"""Programs that nobody wrote for a test: recorded they give the same bits, and leave the framework as it was."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tests.recorders import shared_cases
from tests.recorders.frameworks import tensorflow_state, torch_state

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
STATES: dict[str, Callable[[Any], list[Any]]] = {"torch": torch_state, "tensorflow": tensorflow_state}


def seeded(framework: str) -> Any:
    """A framework, its random numbers at their beginning."""
    module: Any = import_module(framework)
    if framework == "torch":
        module.set_grad_enabled(True)
        module.manual_seed(0)
    else:
        module.keras.utils.set_random_seed(0)
    return module


def bits(value: Any) -> Any:
    """A result, so that two are equal if and only if every bit is."""
    if value is None or isinstance(value, (str, bytes, int, float, complex)):
        return repr(value)
    if isinstance(value, dict):
        return {key: bits(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [bits(each) for each in value]
    if hasattr(value, "indices") and hasattr(value, "dense_shape"):
        return [bits(value.indices), bits(value.values)]
    if hasattr(value, "detach"):
        value = [value.detach().resolve_conj().cpu().numpy(), bits(value.grad) if value.is_leaf else None]
        return [value[0].dtype.str, value[0].shape, value[0].tobytes(), value[1]]
    array = np.asarray(value)
    return [array.dtype.str, array.shape, array.tobytes()]


def outcome(run: Callable[[Any], Any], framework: Any) -> Any:
    """What a program gives: its results, or the error it ends with."""
    try:
        return bits(run(framework))
    except Exception as error:
        return type(error), str(error)


def cases() -> Iterator[Any]:
    for framework in STATES:
        for path in shared_cases.paths(framework):
            yield pytest.param(framework, path, id=path.stem, marks=getattr(pytest.mark, framework))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(not list(cases()), reason="shared/cases is not beside the repository")
@pytest.mark.parametrize(("framework", "path"), list(cases()))
def test_a_case_does_the_same_when_it_is_recorded(framework: str, path: Path) -> None:
    pytest.importorskip(framework)
    state, case = STATES[framework], shared_cases.load(path)
    plain = outcome(case.run, seeded(framework))
    left = state(import_module(framework))
    with tv.record() as log:
        recorded = outcome(case.run, seeded(framework))
    assert recorded == plain
    assert state(import_module(framework)) == left
    assert log.events


# ----- the notebooks -----


class Silent:
    """In place of tapeviz: every verb takes anything and does nothing."""

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: contextlib.nullcontext(self)


LEFT_OUT = ("plot", "plt", "tv.Variable")
"""What cells have that draw pictures, and that compute with tapeviz itself."""


def left_by(notebook: str) -> dict[str, Any]:
    """Run the cells of a notebook without tapeviz, but for those left out; the variables that they leave."""
    cells = json.loads((NOTEBOOKS / f"{notebook}.ipynb").read_text())["cells"]
    space: dict[str, Any] = {}
    for cell in cells:
        text = "".join(cell["source"])
        if cell["cell_type"] == "code" and not any(word in text for word in LEFT_OUT):
            exec(compile(text.replace("import tapeviz as tv", ""), notebook, "exec"), space)
            space["tv"] = Silent()
    return {name: value for name, value in space.items() if not isinstance(value, (type, Silent))}


def numbers_in(space: dict[str, Any]) -> dict[str, Any]:
    """The bits of every tensor, list of numbers and model among a program's variables."""
    found: dict[str, Any] = {}
    for name, value in space.items():
        if hasattr(value, "state_dict"):
            found[name] = bits(value.state_dict())
        elif hasattr(value, "trainable_variables"):
            found[name] = bits(value.trainable_variables)
        elif hasattr(value, "numpy") or (isinstance(value, list) and {float} == set(map(type, value))):
            found[name] = bits(value)
    return found


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("framework", "notebook"),
    [
        pytest.param("tensorflow", "03_tensorflow", marks=pytest.mark.tensorflow),
        pytest.param("torch", "04_pytorch", marks=pytest.mark.torch),
    ],
)
def test_the_models_of_a_notebook(framework: str, notebook: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(framework)
    monkeypatch.chdir(NOTEBOOKS)
    seeded(framework)
    plain = numbers_in(left_by(notebook))
    left = STATES[framework](seeded(framework))
    with tv.record():
        recorded = numbers_in(left_by(notebook))
    assert STATES[framework](import_module(framework)) == left
    assert recorded == plain
    assert {"model", "losses"} <= plain.keys()
