"""`import tapeviz` costs NumPy and a little more; whatever draws or records a framework is loaded when it is used."""

from __future__ import annotations

import subprocess
import sys

HEAVY = {"matplotlib", "anywidget", "ipywidgets", "graphviz", "pygraphviz", "IPython", "latex2mathml"}
FRAMEWORKS = {"tensorflow", "torch", "jax"}


def modules_after(statement: str) -> set[str]:
    """The names in `sys.modules` of a fresh interpreter that ran `statement`."""
    code = f"import sys; {statement}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_nothing_heavy_comes_with_it() -> None:
    assert modules_after("import tapeviz") & (HEAVY | FRAMEWORKS) == set()


def test_little_but_numpy_comes_with_it() -> None:
    """Modules are counted, since seconds depend on the machine."""
    foreign = {name for name in modules_after("import tapeviz") if not name.startswith("tapeviz")}
    assert len(foreign - modules_after("import numpy")) < 40
