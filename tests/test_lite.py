"""JupyterLite on the site: wheels in Pyodide's lock, notebooks that need no framework, what is said without it."""

from __future__ import annotations

import json
import re
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

from docs.site.lite import build as lite
from docs.site.lite.lock import extended
from docs.site.lite.wheels import PINNED
from docs.site.playground import distribution
from docs.site.playground.build import VARIABLE
from tests.test_release import PROJECT

METADATA = """\
Metadata-Version: 2.4
Name: Some.Name
Version: 1.2
Requires-Dist: numpy>=2.0
Requires-Dist: its-own
Requires-Dist: of-a-server
Requires-Dist: windows-only; sys_platform == "win32"
Requires-Dist: pytest; extra == "test"
"""


def wheel(folder: Path, name: str, metadata: str) -> Path:
    path = folder / f"{name}-1.2-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(f"{name}-1.2.dist-info/METADATA", metadata)
        file.writestr(f"{name}/__init__.py", "")
        file.writestr(f"{name}_module.py", "")
        file.writestr(f"{name}-1.2.data/scripts/tool.py", "")
    return path


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    packages = {name: {"file_name": f"{name}.whl", "depends": []} for name in ("numpy", "windows-only", "pytest")}
    path = tmp_path / distribution.LOCK
    path.write_text(json.dumps({"info": {"version": "1"}, "packages": packages}))
    return path


def test_a_wheel_in_the_lock_is_loaded_by_its_checksum_with_what_it_needs(tmp_path: Path, lock: Path) -> None:
    ours = wheel(tmp_path, "some_name", METADATA), wheel(tmp_path, "its_own", "Name: its_own\nVersion: 1.2\n")
    text = extended(lock, ours)
    content = json.loads(text)
    assert content["info"] == {"version": "1"}
    assert set(content["packages"]) == {"numpy", "windows-only", "pytest", "some-name", "its-own"}
    named = content["packages"]["some-name"]
    assert named["depends"] == ["its-own", "numpy"]
    assert named["imports"] == ["some_name", "some_name_module"]
    assert (named["file_name"], named["version"]) == ("some_name-1.2-py3-none-any.whl", "1.2")
    assert named["sha256"] == sha256(ours[0].read_bytes()).hexdigest()
    assert text == extended(lock, ours)


def test_what_a_package_needs_is_found_whatever_its_spelling(lock: Path) -> None:
    packages = {"a": ["B_c"], "b-c": ["d", "a"], "d": []}
    lock.write_text(json.dumps({"packages": {name: {"depends": needs} for name, needs in packages.items()}}))
    assert distribution.with_needs(lock.parent, ["a"]) == ["a", "b-c", "d"]
    lock.unlink()
    assert distribution.with_needs(lock.parent, ["a"]) == ["a"]


def test_the_pinned_wheels_are_what_the_project_needs_of_python_alone() -> None:
    pinned = {line.partition("==")[0] for line in PINNED.read_text().splitlines() if "==" in line}
    assert all(re.search(r"==[\d.]+ --hash=sha256:[0-9a-f]{64}$", line) for line in PINNED.read_text().splitlines()[1:])
    needed = {re.split("[<>=]", each)[0] for each in PROJECT["dependencies"]}
    assert needed - pinned == {"numpy", "ml_dtypes", "matplotlib"}  # these are Pyodide's


def test_notebooks_of_frameworks_are_left_out() -> None:
    names = {path.stem for path in lite.notebooks()}
    assert {"01_first_tape", "07_explore"} <= names
    assert not {"03_tensorflow", "04_pytorch", "05_jax", "08_ranks"} & names


@pytest.mark.parametrize(
    ("named", "python", "words"),
    [
        (None, "python", f"{VARIABLE} names no folder with the files of Pyodide {distribution.VERSION}"),
        (".", "nowhere", "JupyterLite is not here: .ci/environment .venv-lite lite"),
        (".", ".", "lacks pyodide.mjs, pyodide.asm.mjs"),
    ],
)
def test_what_it_lacks_is_said_and_nothing_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str | None, python: str, words: str
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    if named:
        monkeypatch.setenv(VARIABLE, str(tmp_path))
    monkeypatch.setattr(lite, "PYTHON", tmp_path / python)
    assert words in str(lite.build(tmp_path / "lite"))
    assert not (tmp_path / "lite").exists()
