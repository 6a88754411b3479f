"""Edits of a file's text, and their patches: what is written, what is refused, and that `git apply` takes it."""

from __future__ import annotations

import ast
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tapeviz.source.editing import Editable
from tapeviz.source.edits import Edit, TextChange, characters, together

Made = Callable[[Editable], Edit | None]


def of(text: str) -> Editable:
    return Editable("program.py", text.splitlines(keepends=True))


def expression(file: Editable, code: str) -> ast.expr:
    """The first expression that is written so."""
    nodes = ast.walk(file.tree or ast.Module([], []))
    return next(each for each in nodes if isinstance(each, ast.expr) and ast.unparse(each) == code)


def call(file: Editable, name: str) -> ast.Call:
    nodes = ast.walk(file.tree or ast.Module([], []))
    return next(each for each in nodes if isinstance(each, ast.Call) and ast.unparse(each.func) == name)


def line(file: Editable, number: int) -> ast.stmt | None:
    return file.statement_on(number)


LOOP = "for _ in range(3):\n    y = f(x)  # twice\n    z = y\nw = z\n"

CASES: dict[str, tuple[str, Made, str | None]] = {
    "an expression": ("y = f(x) + 1\n", lambda it: it.replaced(expression(it, "f(x)"), "g(x)"), "y = g(x) + 1\n"),
    "a sum where a factor was": (
        "y = x * 2\n",
        lambda it: it.replaced(expression(it, "x"), "a + b"),
        "y = (a + b) * 2\n",
    ),
    "a sum where a value was": ("y = x\n", lambda it: it.replaced(expression(it, "x"), "a + b"), "y = a + b\n"),
    "a sum as the owner of a method": (
        "y = x.sum()\n",
        lambda it: it.replaced(expression(it, "x"), "a + b"),
        "y = (a + b).sum()\n",
    ),
    "an expression of several lines": (
        "y = f(\n    x,\n)\nz = 1\n",
        lambda it: it.replaced(call(it, "f"), "x"),
        "y = x\nz = 1\n",
    ),
    "behind letters of several bytes": (
        "ärger = f(größe, x)\n",
        lambda it: it.replaced(expression(it, "x"), "z"),
        "ärger = f(größe, z)\n",
    ),
    "no code": ("y = x\n", lambda it: it.replaced(expression(it, "x"), "a ="), None),
    "within an f-string": ("y = f'{x}'\n", lambda it: it.replaced(expression(it, "x"), "z"), None),
    "an argument more": ("f(x)\n", lambda it: it.with_argument(call(it, "f"), "k", "1"), "f(x, k=1)\n"),
    "the first argument": ("f()\n", lambda it: it.with_argument(call(it, "f"), "k", "1"), "f(k=1)\n"),
    "an argument that is there": ("f(k=2)\n", lambda it: it.with_argument(call(it, "f"), "k", "1"), "f(k=1)\n"),
    "behind a comma": ("f(\n    x,\n)\n", lambda it: it.with_argument(call(it, "f"), "k", "1"), "f(\n    x, k=1,\n)\n"),
    "behind a generator": ("f(a for a in b)\n", lambda it: it.with_argument(call(it, "f"), "k", "1"), None),
    "a line above": (LOOP, lambda it: it.above(line(it, 3), "a()"), LOOP.replace("    z", "    a()\n    z")),
    "a line below": (LOOP, lambda it: it.below(line(it, 2), "a()"), LOOP.replace("    z", "    a()\n    z")),
    "a line below the last, which does not end": ("y = x", lambda it: it.below(line(it, 1), "a()"), "y = x\na()"),
    "above a decorated function": (
        "@d\ndef f(): pass\n",
        lambda it: it.above(line(it, 1), "a()"),
        "a()\n@d\ndef f(): pass\n",
    ),
    "above what shares its line": (
        "x = 1; y = 2\n",
        lambda it: it.above(it.statement(expression(it, "2")), "a()"),
        None,
    ),
    "above an elif": (
        "if x:\n    a\nelif y:\n    b\n",
        lambda it: it.above(it.statement(expression(it, "y")), "c"),
        None,
    ),
    "a statement for another": (LOOP, lambda it: it.rewritten(line(it, 3), "del y"), LOOP.replace("z = y", "del y")),
    "a line less": (LOOP, lambda it: it.removed(line(it, 3)), LOOP.replace("    z = y\n", "")),
    "the only line of a block": ("if x:\n    y = 1\n", lambda it: it.removed(line(it, 2)), "if x:\n    pass\n"),
    "a line into a block": (
        "y = f(x)\nwith a:\n    z = y\n",
        lambda it: it.moved_above(line(it, 1), line(it, 3)),
        "with a:\n    y = f(x)\n    z = y\n",
    ),
    "a line out of a block": (
        "with a:\n    y = f(x)\n    z = y\n",
        lambda it: it.moved_below(line(it, 3), line(it, 1)),
        "with a:\n    y = f(x)\nz = y\n",
    ),
    "a block without its head": (
        "if c:\n    with a:\n        y = [\n            1]\n\n        z = y\nw = 1\n",
        lambda it: it.unblocked(it.statement(expression(it, "a"))),
        "if c:\n    y = [\n        1]\n\n    z = y\nw = 1\n",
    ),
    "a text that would be moved": (
        "with a:\n    y = '''\nb'''\n",
        lambda it: it.unblocked(it.statement(expression(it, "a"))),
        None,
    ),
    "a block around the loop that it was in": (
        "while c:\n    a()\n\n    with t as s:  # once\n        # why\n        b()\n    d()\ne()\n",
        lambda it: it.put_around(line(it, 4), line(it, 1)),
        "with t as s:  # once\n    while c:\n        a()\n\n        # why\n        b()\n        d()\ne()\n",
    ),
    "a block whose head has several lines around its loop": (
        "while c:\n    with t(\n        a) as s:\n        b()\n",
        lambda it: it.put_around(line(it, 2), line(it, 1)),
        None,
    ),
    "a text of several lines in a loop": (
        "while c:\n    with t as s:\n        b('''\n''')\n",
        lambda it: it.put_around(line(it, 2), line(it, 1)),
        None,
    ),
    "without what is given by a name": (
        "f(x, k=1, j=2)\n",
        lambda it: it.without_keyword(call(it, "f"), "k"),
        "f(x, j=2)\n",
    ),
    "without a name that is all": ("f(k=1)\n", lambda it: it.without_keyword(call(it, "f"), "k"), None),
    "without a name that is not there": ("f(x)\n", lambda it: it.without_keyword(call(it, "f"), "k"), None),
    "two lines above": (
        LOOP,
        lambda it: it.above(line(it, 3), "a()", "b()"),
        LOOP.replace("    z", "    a()\n    b()\n    z"),
    ),
    "defaults of a lambda": (
        "f = lambda x: w * x\n",
        lambda it: it.with_defaults(next(each for each in ast.walk(it.tree) if isinstance(each, ast.Lambda)), ["w"]),
        "f = lambda x, w=w: w * x\n",
    ),
    "defaults of a function": (
        "@d\ndef f(): return w\n",
        lambda it: it.with_defaults(it.function("f"), ["w", "v"]),
        "@d\ndef f(w=w, v=v): return w\n",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_an_edit_writes_what_it_says(name: str) -> None:
    text, make, expected = CASES[name]
    edit = make(of(text))
    assert (None if edit is None else "".join(edit.after)) == expected
    if expected is not None:
        ast.parse(expected)


def test_lines_end_as_those_of_the_file() -> None:
    file = of("x = 1\r\ny = 2\r\n")
    edit = file.below(line(file, 1), "a()")
    assert edit is not None
    assert "".join(edit.after) == "x = 1\r\na()\r\ny = 2\r\n"


@pytest.mark.parametrize(
    ("text", "code", "expected"),
    [
        ("import tensorflow as tf\n", "tf.exp(x)", "tf.exp(x)"),
        ("import tensorflow\n", "tf.exp(x)", "tensorflow.exp(x)"),
        ("import tapeviz as tv\n", "tf.exp(x)", "tv.exp(x)"),
        ("import torch as th\n", "torch.exp(x)", "th.exp(x)"),
        ("import jax.numpy as np\n", "jnp.exp(x)", "np.exp(x)"),
        ("def run(torch): ...\n", "torch.exp(x)", "torch.exp(x)"),
    ],
)
def test_modules_have_the_names_that_the_file_gives_them(text: str, code: str, expected: str) -> None:
    assert of(text).spelled(code) == expected


def test_a_module_that_is_needed_is_imported() -> None:
    file = of('"""A program."""\nfrom __future__ import annotations\nfrom torch import nn\ny = nn.x(z)\n')
    edit = file.importing(file.replaced(call(file, "nn.x"), "torch.exp(z)"), "torch.exp(z)")
    assert edit is not None
    assert edit.after[2:] == ["import torch\n", "from torch import nn\n", "y = torch.exp(z)\n"]


def test_edits_that_overlap_are_not_made_together() -> None:
    file = of("y = f(x) + g(x)\n")
    whole, part = (file.replaced(expression(file, code), "z") for code in ("f(x) + g(x)", "f(x)"))
    other = file.replaced(expression(file, "g(x)"), "h(x)")
    assert ["".join(each.after) for each in together([part, whole, None, other])] == ["y = z + h(x)\n"]


def test_the_same_change_is_made_once() -> None:
    file = of("import a\ny = 1\nz = 2\n")
    first, second = (file.below(line(file, 1), "w()") for _ in range(2))
    assert first is not None
    assert first.and_also(second) == first


def test_lines_that_are_put_at_one_place_come_one_after_the_other() -> None:
    file = of("y = 1\n")
    [both] = together([file.above(line(file, 1), "a()"), file.above(line(file, 1), "b()")])
    assert sorted(both.after) == ["a()\n", "b()\n", "y = 1\n"]


def test_columns_count_characters_for_who_asks() -> None:
    assert characters(["ärger = f(x)\n"], (1, 9)) == (1, 8)


PATCHED = {
    "changed": ("a = 1\nb = 2\n", (TextChange((2, 4), (2, 5), "3"),), "a = 1\nb = 3\n"),
    "without an end": ("a = 1\nb = 2", (TextChange((2, 4), (2, 5), "3"),), "a = 1\nb = 3"),
    "first line gone": ("a = 1\nb = 2\n", (TextChange((1, 0), (2, 0), ""),), "b = 2\n"),
    "letters": ("ä = 1\n", (TextChange((1, 5), (1, 6), "'ö'"),), "ä = 'ö'\n"),
}


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not there")
@pytest.mark.parametrize("name", PATCHED)
def test_git_takes_a_patch(name: str, tmp_path: Path) -> None:
    """In the directory that the program ran in, be it a folder of a repository."""
    text, changes, expected = PATCHED[name]
    folder = tmp_path / "inner"
    folder.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (folder / "my program.py").write_text(text, encoding="utf-8")
    patch = Edit("my program.py", changes, tuple(text.splitlines(keepends=True))).patch()
    subprocess.run(["git", "apply", "-"], input=patch.encode(), cwd=folder, check=True)
    assert (folder / "my program.py").read_text(encoding="utf-8") == expected
