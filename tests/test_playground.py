"""What the playground is built of: Pyodide's files by their checksums, an archive, and the programs of its menu."""

from __future__ import annotations

import json
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from docs.site.playground import archive, distribution
from docs.site.playground.programs import programs

WHEEL = b"a wheel"


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as of a release: small files, whose checksums are the ones that are asked for."""
    folder = tmp_path / "release"
    folder.mkdir()
    held = {name: {"file_name": f"{name}.whl", "sha256": sha256(WHEEL).hexdigest()} for name in distribution.PACKAGES}
    lock = json.dumps({"packages": held})
    for name in distribution.CORE:
        (folder / name).write_text(lock if name == distribution.LOCK else name)
        monkeypatch.setitem(distribution.CORE, name, sha256((folder / name).read_bytes()).hexdigest())
    for name in distribution.PACKAGES:
        (folder / f"{name}.whl").write_bytes(WHEEL)
    return folder


def test_a_whole_release_is_copied_and_no_more(release: Path, tmp_path: Path) -> None:
    (release / "other.whl").write_bytes(WHEEL)
    assert distribution.copied(release, tmp_path / "to") == []
    copied = {path.name for path in (tmp_path / "to").iterdir()}
    assert copied == {path.name for path in release.iterdir()} - {"other.whl"}


def test_what_is_not_there_is_named(release: Path, tmp_path: Path) -> None:
    (release / "numpy.whl").unlink()
    assert distribution.copied(release, tmp_path / "to") == ["numpy.whl"]
    (release / distribution.LOCK).unlink()
    assert distribution.copied(release, tmp_path / "to")[0] == distribution.LOCK
    assert len(distribution.copied(None, tmp_path / "to")) == len(distribution.CORE) + len(distribution.PACKAGES)


@pytest.mark.parametrize("name", ["pyodide.asm.wasm", "numpy.whl"])
def test_a_file_that_is_another_is_refused(release: Path, tmp_path: Path, name: str) -> None:
    (release / name).write_bytes(b"from elsewhere")
    with pytest.raises(ValueError, match=rf"{name} is not that of Pyodide {distribution.VERSION}: its SHA-256 is"):
        distribution.copied(release, tmp_path / "to")


def test_the_archive_is_the_same_each_time_and_runs_alone(tmp_path: Path) -> None:
    """Beside NumPy, in an interpreter that sees no other package."""
    packed = archive.archive()
    assert sha256(packed).digest() == sha256(archive.archive()).digest()
    (tmp_path / "packages.zip").write_bytes(packed)
    code = "import zipfile, sys; zipfile.ZipFile('packages.zip').extractall('home'); sys.path.insert(0, 'home')\n"
    code += "import tapeviz, latex2mathml; print(tapeviz.__file__, latex2mathml.__file__)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.count(str(tmp_path / "home")) == 2, done.stderr


def test_programs_of_the_menu_are_whole() -> None:
    menu = programs()
    assert len({each.title for each in menu}) == len(menu)
    for each in menu:
        compile(each.source, each.name, "exec")
        assert "import" in each.source
