"""Pyodide in Node: its standard library has what tapeviz imports; with NumPy's wheel the playground's programs run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from docs.site.playground import build, distribution
from docs.site.playground.archive import archive
from docs.site.playground.programs import programs
from tests.fetched import fetched

pytestmark = [pytest.mark.node, pytest.mark.slow]

DRIVER = """
import { readFileSync } from "node:fs";
const [folder, archive, program, ...packages] = process.argv.slice(1);
const { loadPyodide } = await import(`${folder}/pyodide.mjs`);
const python = await loadPyodide({ indexURL: `${folder}/` });
await python.loadPackage(packages, { messageCallback: () => {} });
const home = python.runPython("import sysconfig; sysconfig.get_path('purelib')");
python.unpackArchive(new Uint8Array(readFileSync(archive)), "zip", { extractDir: home });
console.log(python.runPython(program));
"""
IMPORTS = """
import ast, importlib, json, pathlib, sys, sysconfig, warnings

warnings.simplefilter("error", SyntaxWarning)

def imported(statements):
    for node in statements:  # what is in a `try` may lack
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.If):
            yield from imported([*node.body, *node.orelse])

names, lacking = set(), []
for path in pathlib.Path(sysconfig.get_path("purelib"), "tapeviz").rglob("*.py"):
    tree = ast.parse(path.read_text(), str(path))
    compile(tree, str(path), "exec")
    names.update(imported(tree.body))
for name in names:
    if name.partition(".")[0] in sys.stdlib_module_names:
        try:
            importlib.import_module(name)
        except ImportError:
            lacking.append(name)
json.dumps([len(names), lacking])
"""
RUNNER = build.FILES / "runner.py"
RUNS = """
import json, runner
json.dumps({name: runner.run(source)["printed"] for name, source in json.loads(SOURCES).items()})
"""
DRAWS = ("answer_custom_relu", "answer_keras", "howto_logistic_layer", "howto_tf_function")
"""Programs of the menu that begin at random numbers."""


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pyodide") / build.ARCHIVE
    path.write_bytes(archive())
    return path


def run(folder: Path, packed: Path, program: str, *packages: str) -> Any:
    """What a program, in the Python of a folder, gives as JSON."""
    command = ["node", "--input-type=module", "-e", DRIVER, str(folder), str(packed), program, *packages]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_the_standard_library_of_a_browser_has_what_is_imported(packed: Path) -> None:
    count, lacking = run(fetched("pyodide", build.VARIABLE), packed, IMPORTS)
    assert count > 200
    assert lacking == []


def test_the_programs_of_the_menu_print_what_they_print_here(packed: Path) -> None:
    named = os.environ.get(build.VARIABLE)
    if named is None or distribution.copied(Path(named), packed.parent / "whole"):
        pytest.skip(f"{build.VARIABLE} names no folder with all files of Pyodide {distribution.VERSION}")
    sources = {each.name: each.source for each in programs() if each.name not in DRAWS}
    define = f"import sys; sys.path.append('/tmp'); open('/tmp/runner.py', 'w').write({RUNNER.read_text()!r})\n"
    theirs = run(Path(named), packed, f"{define}SOURCES = {json.dumps(sources)!r}{RUNS}", *distribution.PACKAGES)
    child = f"import sys; sys.path.append({str(RUNNER.parent)!r}); SOURCES = sys.stdin.read()\n"
    child += RUNS.replace("json.dumps({", "print(json.dumps({").rstrip() + ")"
    done = subprocess.run([sys.executable, "-c", child], input=json.dumps(sources), capture_output=True, text=True)
    assert theirs == json.loads(done.stdout.splitlines()[-1])
