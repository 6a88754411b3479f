"""The verbs: each is found from `tapeviz`, in a module of its name, whatever else was imported before."""

from __future__ import annotations

import ast
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import tapeviz

CALLS = """
import importlib, pkgutil, sys, tempfile
from pathlib import Path
import tapeviz as tv

for each in pkgutil.walk_packages(tv.__path__, "tapeviz."):
    if each.name.startswith("tapeviz.tf") or each.name == "tapeviz.__main__":
        continue
    try:
        importlib.import_module(each.name)
    except ImportError as error:  # a framework, or IPython, is not here
        assert not str(error.name).startswith("tapeviz"), error

folder = Path(tempfile.mkdtemp())
x = tv.Variable(3.0, name="x")
with tv.record() as log, tv.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)
history = tv.History()
history.add(tape)
CALLED = {
    "History": lambda: history, "animate": lambda: tv.animate(log, folder / "a.gif"),
    "audit": lambda: tv.audit(log) or tv.audit, "check_step": lambda: tv.check_step(log, 1),
    "compare": lambda: tv.compare(log, log),
    "debug": lambda: tv.debug(log), "depth": lambda: tv.depth(log), "diagnose": lambda: tv.diagnose(log),
    "draw": lambda: tv.draw(log), "explore": lambda: tv.explore(lambda x: x * x, x=3.0),
    "export": lambda: tv.export(log, folder / "trace.json"),
    "frames": lambda: tv.frames(log, folder / "frames"), "load": lambda: tv.load(tv.save(log, folder / "l.tape")),
    "modes": lambda: tv.modes(lambda x: x * x, x=3.0), "plot": lambda: tv.plot(log),
    "record_jax": lambda: tv.record_jax, "same": lambda: tv.same(log, log),
    "save": lambda: tv.save(log, folder / "s.tape"), "save_html": lambda: tv.save_html(log, folder / "s.html"),
    "show": lambda: tv.show(log), "table": lambda: tv.table(log), "to_dot": lambda: tv.to_dot(log),
    "to_graphviz": lambda: tv.to_graphviz(log), "why": lambda: tv.why(log, "y", "x"),
    "update": lambda: tv.update,
    "watch": lambda: tv.watch().stop() or tv.watch, "keras_callback": lambda: tv.keras_callback,
    "lightning_callback": lambda: tv.lightning_callback, "transformers_callback": lambda: tv.transformers_callback,
}
assert CALLED.keys() == tv.VERBS.keys(), CALLED.keys() ^ tv.VERBS.keys()
for verb, call in CALLED.items():
    assert call() is not None or verb == "show", verb
print(len(CALLED), "verbs")
"""


@pytest.mark.slow
def test_every_verb_answers_when_all_modules_are_imported() -> None:
    done = subprocess.run([sys.executable, "-c", CALLS], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(f"{len(tapeviz.VERBS)} verbs\n")


@pytest.mark.parametrize("verb", tapeviz.VERBS)
def test_a_verb_lives_in_a_module_of_its_name(verb: str) -> None:
    module = tapeviz.VERBS[verb]
    assert module.rpartition(".")[2] == verb.lower()
    assert getattr(import_module(module), verb) is getattr(tapeviz, verb)


def test_no_module_at_the_top_takes_the_place_of_a_verb() -> None:
    modules = {each.name for each in pkgutil.iter_modules(tapeviz.__path__)}
    assert (modules - {"tf"}) & {*dir(tapeviz)} == {"errors"}


def test_type_checkers_find_every_verb_where_it_is() -> None:
    tree = ast.parse(Path(tapeviz.__file__).read_text(encoding="utf-8"))
    [typed] = [each for each in tree.body if isinstance(each, ast.If) and ast.unparse(each.test) == "TYPE_CHECKING"]
    imported = {
        name.name: each.module for each in typed.body if isinstance(each, ast.ImportFrom) for name in each.names
    }
    assert {verb: imported[verb] for verb in tapeviz.VERBS} == tapeviz.VERBS
