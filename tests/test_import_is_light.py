"""`import tapeviz` costs NumPy and a little more; whatever draws or records a framework is loaded when it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {"matplotlib", "anywidget", "ipywidgets", "graphviz", "pygraphviz", "IPython", "latex2mathml"}
FRAMEWORKS = {"tensorflow", "torch", "jax", "autograd", "tinygrad"}


def modules_after(statement: str) -> set[str]:
    """The names in `sys.modules` of a fresh interpreter that ran `statement`."""
    code = f"import sys; {statement}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_most_of_tapeviz_is_loaded_when_it_is_asked_for() -> None:
    ours = {
        name for name in modules_after("import tapeviz as tv; tv.record; tv.configure") if name.startswith("tapeviz")
    }
    assert len(ours) < 110


def test_a_recording_of_another_framework_needs_neither_ops_nor_tensorflows_names() -> None:
    program = "import tapeviz as tv\nwith tv.record(): pass"
    ours = modules_after(f"exec({program!r})")
    assert not {name for name in ours if name.startswith(("tapeviz.tf", "tapeviz.engine.ops"))}


@pytest.mark.parametrize("verb", ["explore", "modes"])
def test_a_verb_that_runs_a_program_gives_it_tensors_with_operators(verb: str) -> None:
    """Though nothing of the engine was asked for before."""
    modules_after(f"import tapeviz as tv; tv.{verb}(lambda w: w * w if w > 1.0 else -w, w=3.0)")


def test_nothing_heavy_comes_with_it() -> None:
    assert modules_after("import tapeviz") & (HEAVY | FRAMEWORKS) == set()


def test_little_but_numpy_comes_with_it() -> None:
    """Modules are counted, since seconds depend on the machine."""
    foreign = {name for name in modules_after("import tapeviz") if not name.startswith("tapeviz")}
    assert len(foreign - modules_after("import numpy")) < 40
