"""Which files are the user's, and which belong to a package that was installed somewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tapeviz.events.program.frames import is_library, name_in_package


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A folder as `pip install --target` leaves it, with a file of the user's beside the package."""
    for name in ("layers/dense.py", "alone.py", "train.py", "layers-1.0.dist-info/RECORD"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    record = "layers/dense.py,sha256=x,10\nalone.py,,\n../bin/layers,,\nlayers-1.0.dist-info/RECORD,,\n"
    (tmp_path / "layers-1.0.dist-info" / "RECORD").write_text(record)
    return tmp_path


@pytest.mark.parametrize("name", ["layers/dense.py", "alone.py"])
def test_what_was_installed_in_any_folder_is_a_librarys(target: Path, name: str) -> None:
    assert is_library(str(target / name))
    assert name_in_package(str(target / name)) == name


@pytest.mark.parametrize("name", ["train.py", "models/layers/dense.py"])
def test_a_file_beside_it_is_the_users(target: Path, name: str) -> None:
    assert not is_library(str(target / name))
    assert name_in_package(str(target / name)) is None


def test_a_project_that_is_only_linked_is_the_users(tmp_path: Path) -> None:
    (tmp_path / "mine.egg-info").mkdir()
    (tmp_path / "mine.egg-info" / "SOURCES.txt").write_text("mine/net.py\n")
    assert not is_library(str(tmp_path / "mine" / "net.py"))


def test_a_file_is_called_by_its_path_from_the_folder_of_packages() -> None:
    assert name_in_package("/usr/lib/python3/dist-packages/optax/losses.py") == "optax/losses.py"
