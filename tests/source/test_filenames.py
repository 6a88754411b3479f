"""What logs and pages call a file of the program: as much of its path as others may read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tapeviz.source.filenames import base_name, shown_name


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's home with a project in it, in which one works."""
    home = tmp_path / "home" / "ada"
    (home / "project" / "src").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(home / "project")
    return home


@pytest.mark.parametrize(
    ("filename", "shown"),
    [
        ("{home}/project/train.py", "train.py"),
        ("{home}/project/src/../train.py", "train.py"),
        ("{home}/project/src/net.py", "src/net.py"),
        ("{home}/other/net.py", "~/other/net.py"),
        ("../other/net.py", "~/other/net.py"),
        ("{home}", "~/."),
        ("{home}s/net.py", "{home}s/net.py"),
        ("/opt/lib/net.py", "/opt/lib/net.py"),
        ("src/net.py", "src/net.py"),
        ("<stdin>", "<stdin>"),
        ("<frozen runpy>", "<frozen runpy>"),
        ("   ", "   "),
        ("", ""),
        ("/opt/\udce9.py", "/opt/\ufffd.py"),
    ],
)
def test_what_a_file_is_called(filename: str, shown: str, home: Path) -> None:
    assert shown_name(filename.format(home=home)) == shown.format(home=home)


def test_one_who_works_in_the_home_or_above_it_is_not_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    assert shown_name(str(home / "project" / "train.py")) == os.path.join("project", "train.py")
    monkeypatch.chdir(home.parent)
    assert shown_name(str(home / "project" / "train.py")) == os.path.join("~", "project", "train.py")


def test_a_home_behind_a_link(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = tmp_path / "link"
    link.symlink_to(home)
    monkeypatch.setenv("HOME", str(link))
    monkeypatch.chdir("/")
    for each in (home, link):
        assert shown_name(str(each / "net.py")) == os.path.join("~", "net.py")


def test_a_working_directory_that_was_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert shown_name("/opt/lib/net.py") == "/opt/lib/net.py"


@pytest.mark.parametrize("filename", ["net.py", "/a/net.py", r"C:\a\net.py", "~/a/net.py", r"\\host\a\net.py"])
def test_a_file_without_its_path(filename: str) -> None:
    assert base_name(filename) == "net.py"
