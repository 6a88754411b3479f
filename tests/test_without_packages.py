"""Without ctypes, threads and every package but NumPy and latex2mathml, as where Python runs in a browser."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tf.test_programs import PROGRAMS

ROOT = Path(__file__).parents[1]
CHILD = """
import json, sys, tempfile, threading, types

LEFT_OUT = {
    "_ctypes", "ctypes", "threadpoolctl", "ml_dtypes", "matplotlib", "PIL", "graphviz", "pygraphviz", "anywidget",
    "ipywidgets", "IPython",
}

class LeftOut:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in LEFT_OUT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

def refuse(*arguments, **options):
    raise RuntimeError("can't start new thread")

sys.meta_path.insert(0, LeftOut())
sys.modules["fcntl"] = types.ModuleType("fcntl")  # JupyterLite has the name, and nothing in it
threading.Thread.start = refuse
import tapeviz as tf

def outcome(call):
    try:
        return repr(call())
    except Exception as error:
        return f"{type(error).__name__}: {error}"

x = tf.Variable(3.0, name="x")
with tf.GradientTape() as tape:
    y = x * x * tf.exp(x)
tape.gradient(y, x)
CALLS = {
    "bfloat16 of a name": lambda: tf.cast(x, "bfloat16"),
    "bfloat16": lambda: tf.constant(1.0, tf.bfloat16),
    "bfloat16 at random": lambda: tf.random.normal([2], dtype=tf.bfloat16),
    "compared": lambda: (tf.float32 == "bfloat16", tf.bfloat16 == tf.bfloat16, str(tf.bfloat16)),
    "png": lambda: tf.draw(tape, format="png"),
    "plot": lambda: tf.plot(tape),
    "svg": lambda: tf.draw(tape),
    "file": lambda: tf.save_html(tape, tempfile.mkdtemp() + "/tape.html").stat().st_size > 10_000,
    "page": lambda: "<iframe" in tape._repr_mimebundle_()["text/html"],
    "diagnosis": lambda: tf.diagnose(tape),
    "small exp": lambda: float(tf.exp(tf.constant(0.1, tf.float64))),
}
from tests.oracle import broken_promises, run
from tests.tf.test_programs import PROGRAMS, TOLERANCES, Tolerance
broken = {
    name: broken_promises(program, run(program, "tapeviz"), TOLERANCES.get(name, Tolerance()))
    for name, program in PROGRAMS.items()
}
sys.path.insert(0, "docs/site/playground/files")
import runner
from docs.site.playground.programs import programs
runs = {each.name: runner.run(each.source) for each in programs()}
played = {name: [(run["error"] or "").rpartition("\\n")[2], len(run["page"] or "")] for name, run in runs.items()}
met = sorted({name.partition(".")[0] for name in sys.modules} & LEFT_OUT)
calls = {name: outcome(call) for name, call in CALLS.items()}
print(json.dumps({"met": met, "calls": calls, "broken": broken, "played": played}))
"""


@pytest.fixture(scope="module")
def without() -> Any:
    """What one process without them had to say."""
    done = subprocess.run([sys.executable, "-c", CHILD], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_none_of_them_was_loaded(without: Any) -> None:
    assert without["met"] == []


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("bfloat16 of a name", "The numbers of bfloat16 are those of ml_dtypes, which is not installed: pip install"),
        ("bfloat16", "The numbers of bfloat16 are those of ml_dtypes, which is not installed: pip install"),
        ("bfloat16 at random", "The numbers of bfloat16 are those of ml_dtypes, which is not installed: pip install"),
        ("png", "Pictures other than SVG and DOT are painted by matplotlib, which is not installed: pip install"),
        ("plot", "Plots are drawn by matplotlib, which is not installed: pip install"),
    ],
)
def test_what_needs_one_says_so(without: Any, call: str, words: str) -> None:
    assert without["calls"][call].startswith(f"ModuleNotFoundError: {words}")


def test_all_else_works(without: Any) -> None:
    calls = without["calls"]
    assert calls["compared"] == "(False, True, \"<dtype: 'bfloat16'>\")"
    assert (calls["page"], calls["file"], calls["svg"][:9]) == ("True", "True", "<Drawing:")
    assert calls["diagnosis"].startswith("Nothing found.")
    assert float(calls["small exp"]) == pytest.approx(np.exp(0.1), rel=1e-15)


def test_the_programs_of_five_documents_keep_their_promises(without: Any) -> None:
    """Their numbers, and what they print."""
    assert len(without["broken"]) > 30
    assert {name: broken for name, broken in without["broken"].items() if broken} == {}


def test_programs_of_the_playground_give_a_debugger_each(without: Any) -> None:
    """With no error but those that their documents tell of."""
    raised = {name for name, (error, _) in without["played"].items() if error}
    assert raised == {name for name, program in PROGRAMS.items() if program.raises and name in without["played"]}
    assert [name for name, (_, length) in without["played"].items() if length < 10_000] == []
