"""Ruff has nothing to say, functions and modules are short."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_layers import source_of

CHECKS = [["check", "."], ["format", "--check", "."]]

ROOT = Path(__file__).parents[1]

TOP = {
    *(".ci", ".gitattributes", ".github", ".gitignore"),
    *("CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "SECURITY.md"),
    *("benchmarks", "docs", "findings", "jsconfig.json", "notebooks", "pyproject.toml", "tapeviz", "tests"),
}
"""What stands at the top of the repository."""


def test_nothing_strays_at_the_top() -> None:
    """What a program left where it ran is easily committed."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-tree", "--name-only", "HEAD"], capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this is no clone of the repository")
    assert set(listed.stdout.split()) == TOP


LONG = {
    "engine/backward/sweep.py run": "the loop of the backward pass: what it called would be called for every op",
    "engine/calling/call.py _general": "the call of an op, and what it makes ready for it",
    "recorders/torch/backward/fingerprint.py fingerprint": "the walk of a graph, likewise for every node in every pass",
}
"""Functions of more than 40 lines, and why."""


def test_functions_are_short() -> None:
    """Without their signatures and docstrings, which TensorFlow's arguments make long."""
    found = set()
    for path in (ROOT / "tapeviz").rglob("*.py"):
        for node in ast.walk(source_of(path)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                first = node.body[1 if ast.get_docstring(node, clean=False) and node.body[1:] else 0]
                if (node.end_lineno or 0) - first.lineno >= 40:
                    found.add(f"{path.relative_to(ROOT / 'tapeviz').as_posix()} {node.name}")
    assert found == LONG.keys()


BODY = re.compile(
    r"^( *)(?! |(?:\} )?(?:if|for|while|switch|else|catch|try)\b).*(?:\)|=>) \{\n((?:.*\n)*?)\1\}", re.MULTILINE
)
"""The body of a function, method or constructor of the front end, of which each stands in lines of its own: from its
bracket up to the one that closes it, below the line that it began in."""


def test_functions_of_the_front_end_are_short() -> None:
    """Without their signatures, as in Python."""
    found, longest = set(), 0
    for path in (ROOT / "tapeviz").rglob("*.js"):
        for body in bodies_in(path.read_text()):
            length = body[2].count("\n")
            longest = max(longest, length)
            if length > 40:
                found.add(f"{path.relative_to(ROOT).as_posix()}: {body[0].lstrip().partition(chr(10))[0]}")
    assert found == set()
    assert longest > 20, "none was measured"


def bodies_in(module: str) -> Iterator[re.Match[str]]:
    """Every function of a JavaScript module, those in others, too."""
    at = 0
    while found := BODY.search(module, at):
        yield found
        at = found.start(2)


def test_the_functions_of_a_javascript_module_are_found() -> None:
    module = (
        "export function f(a) {\n  if (a) {\n    g();\n  } else {\n    h();\n  }\n}\n"
        "class C {\n  /** (a) */\n  constructor(\n    a,\n  ) {\n    this.f = () => {\n      a();\n    };\n  }\n\n"
        "  get #b() {\n    return `}`;\n  }\n}\n"
    )
    assert [body[2].count("\n") for body in bodies_in(module)] == [5, 3, 1, 1]


@pytest.mark.parametrize(("ending", "most"), [("py", 400), ("js", 250)])
def test_modules_are_short(ending: str, most: int) -> None:
    """A longer one hides an idea of its own; none is to be cut for its length alone."""
    lengths = {path: len(path.read_text().splitlines()) for path in (ROOT / "tapeviz").rglob(f"*.{ending}")}
    assert {path.relative_to(ROOT).as_posix() for path, length in lengths.items() if length > most} == set()


PRIVATE_WORDS = {
    *("again", "aside", "asked", "beside", "born", "called", "flat", "gap", "given", "late", "made", "met"),
    *("raised", "said", "shown", "spent", "spoilt", "told", "twin"),
}
"""Words that tell a stranger nothing, where they are all of the name of a module, function, class or parameter."""
ROOMS = ("cli", "diagnosis", "events", "graph", "live", "markup", "recorders", "replay", "source", "views")
"""The packages of the debugger, in which a newcomer reads."""


def test_names_of_the_debugger_are_words_of_the_field() -> None:
    found = {
        f"{path.relative_to(ROOT).as_posix()}: {name}"
        for path in (path for room in ROOMS for path in (ROOT / "tapeviz" / room).rglob("*.py"))
        for name in (path.stem, *defined_in(source_of(path)))
        if name.strip("_").lower() in PRIVATE_WORDS
    }
    assert found == set()


EXPORTED = re.compile(r"^export (?:async )?(?:function|class|const) (\w+)", re.MULTILINE)


def test_names_of_the_front_end_are_words_of_the_field() -> None:
    modules = {path: path.read_text() for path in (ROOT / "tapeviz").rglob("*.js")}
    found = {
        f"{path.relative_to(ROOT).as_posix()}: {name}"
        for path, text in modules.items()
        for name in (path.stem, *EXPORTED.findall(text))
        if name.lower() in PRIVATE_WORDS
    }
    assert found == set()
    assert any(map(EXPORTED.search, modules.values()))


def defined_in(module: ast.Module) -> Iterator[str]:
    """The names of functions and classes wherever they are, of parameters, and of what a module or class assigns."""
    for node in ast.walk(module):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        if isinstance(node, (ast.Module, ast.ClassDef)):
            for each in node.body:
                targets = each.targets if isinstance(each, ast.Assign) else [getattr(each, "target", None)]
                yield from (target.id for target in targets if isinstance(target, ast.Name))


FILLERS = {
    *("a", "all", "an", "and", "as", "by", "each", "for", "from", "in", "is", "it", "its", "of", "one", "or", "that"),
    *("the", "this", "to", "what", "with"),
}
"""Words that say nothing of a class."""
SAYS_ENOUGH = 4
"""So many other words than those of its own name, and the above, a class needs to be understood."""


def test_a_class_of_the_debugger_is_in_the_glossary_or_says_what_it_is() -> None:
    """A docstring that repeats the name, or none at all, leaves a newcomer who has read the README where they were."""
    glossary, unclear = glossary_words(), set()
    for path in (path for room in ROOMS for path in (ROOT / "tapeviz" / room).rglob("*.py")):
        for node in source_of(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and not has_docstring_of_another(node):
                named = {form for word in words_of(node.name) for form in (word, f"{word}s", word.removesuffix("s"))}
                first = (ast.get_docstring(node) or "").partition("\n\n")[0]
                says = set(words_of(first)) - named - FILLERS
                is_sentence = len(says) >= SAYS_ENOUGH and first.endswith((".", "?"))
                if " ".join(words_of(node.name)) not in glossary and not is_sentence:
                    unclear.add(f"{path.relative_to(ROOT).as_posix()} {node.name}: {first!r}")
    assert unclear == set()


def glossary_words() -> set[str]:
    """The words that the README explains, in the first column of its table."""
    table = (ROOT / "README.md").read_text().partition("\n## Words\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("|")][2:]
    words = {word.strip().lower() for row in rows for word in row.split(",")}
    assert {"step", "gradient call"} < words
    return words


def words_of(text: str) -> list[str]:
    """The words of a sentence, or of a name in camel case."""
    return re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower())


def has_docstring_of_another(node: ast.ClassDef) -> bool:
    """Whether a class takes the docstring of the one that it extends."""
    assigned = [target for each in node.body if isinstance(each, ast.Assign) for target in each.targets]
    return any(isinstance(each, ast.Name) and each.id == "__doc__" for each in assigned)


TWINS = {
    *("History", "Identity", "Variable"),  # TensorFlow has two, one of them Keras'
    *("Initializer", "Constant", "Ones", "Zeros", "RandomNormal", "RandomUniform"),  # and of these
    "Sweep",  # a backward pass, as the engine and the recorders of TensorFlow and PyTorch run it
    "Session",  # one recording: what the parts of TensorFlow's recorder share, and those of PyTorch's
    *("Ops", "Traces", "Sweeps", "ReadOuts", "GradAttribute"),  # and hooks at what the recorders of two frameworks see
    *("Ledger", "Form", "LoggedOp"),  # and for tensors, names of ops, and ops that a gradient comes back to, likewise
}
"""Names that several classes have, because they are the same thing seen from several sides."""


def test_a_class_has_its_name_for_itself() -> None:
    """Keras has a loss and a metric of each of some names, in namespaces of their own."""
    found: dict[str, set[str]] = {}
    for path in (ROOT / "tapeviz").rglob("*.py"):
        for node in source_of(path).body:
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, set()).add(path.relative_to(ROOT / "tapeviz").as_posix())
    several = {name: paths for name, paths in found.items() if len(paths) > 1}
    losses_and_metrics = {"tf/keras/losses", "tf/keras/metrics"}
    of_keras = {
        name for name, paths in several.items() if {each.rpartition("/")[0] for each in paths} == losses_and_metrics
    }
    assert several.keys() - of_keras == TWINS


@pytest.mark.parametrize("command", CHECKS, ids=lambda command: command[0])
def test_ruff_has_nothing_to_say(command: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", "ruff", *command], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
