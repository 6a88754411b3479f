"""The wheel and the sdist: what is in them, and that the wheel works with no Node, no dot, no network."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

import tapeviz

ROOT = Path(__file__).parents[1]
FRONT_END = {
    path.relative_to(ROOT).as_posix()
    for pattern in ("*.js", "*.css", "*.json")
    for path in (ROOT / "tapeviz" / "views").rglob(pattern)
}
TOUR = """
import shutil, socket

def refuse(*_):
    raise AssertionError("tapeviz asked for the network")

socket.socket.connect = refuse
assert shutil.which("node") is None and shutil.which("dot") is None

import tapeviz as tf
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x * x
assert tape.gradient(y, x).numpy() == 27.0
tf.save_html(tape, "tape.html")
tf.draw(tape, "tape.svg")
print(tf.__file__)
"""
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist of this checkout, built with what is installed."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--sdist", "--outdir", folder, ROOT]
    subprocess.run(build, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    return next(dist.glob("*.whl"))


def test_the_wheel_is_for_every_platform(wheel: Path) -> None:
    assert wheel.name.endswith("-py3-none-any.whl")


def test_the_wheel_holds_the_package_and_its_front_end_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    beside = {name for name in names if not name.startswith("tapeviz/") and ".dist-info/" not in name}
    assert {
        name for name in beside if not (name.startswith("tapeviz-stubs/") and name.endswith((".pyi", "py.typed")))
    } == set()
    assert "tapeviz-stubs/keras/layers.pyi" in beside
    assert not any("/stubs/" in name for name in names)
    assert len(FRONT_END) > 1
    assert set(names) >= FRONT_END | {"tapeviz/py.typed"}
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_what_an_index_shows_of_it(wheel: Path) -> None:
    """Names, versions, extras and commands, and a text that it can show."""
    with zipfile.ZipFile(wheel) as held:
        home = next(name for name in held.namelist() if name.endswith(".dist-info/METADATA")).rpartition("/")[0]
        told = message_from_bytes(held.read(f"{home}/METADATA"))
        commands = held.read(f"{home}/entry_points.txt").decode()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (told["Name"], told["Version"], told["License-Expression"]) == ("tapeviz", tapeviz.__version__, "MIT")
    assert told["Requires-Python"] == project["requires-python"]
    assert told["Description-Content-Type"] == "text/markdown"
    assert told.get_payload().startswith("# tapeviz")
    needed = [each for each in told.get_all("Requires-Dist", ()) if "extra ==" not in each]
    assert {each.replace("_", "-") for each in needed} == {each.replace("_", "-") for each in project["dependencies"]}
    assert {*told.get_all("Provides-Extra", ())} == project["optional-dependencies"].keys()
    assert {*told.get_all("Classifier", ())} == {*project["classifiers"]}
    assert "tapeviz = tapeviz.cli.main:main" in commands
    assert "[pytest11]" in commands


def test_the_sdist_holds_no_tests_and_no_notebooks(dist: Path) -> None:
    with tarfile.open(next(dist.glob("*.tar.gz"))) as sdist:
        tops = {name.split("/")[1] for name in sdist.getnames() if "/" in name}
    assert {"tapeviz", "pyproject.toml", "LICENSE"} <= tops
    assert tops.isdisjoint({"tests", "notebooks", "benchmarks"})


def test_the_wheel_alone_records_steps_and_draws(wheel: Path, tmp_path: Path) -> None:
    """In a virtual environment that holds the wheel; its dependencies are lent by this one, tapeviz is not."""
    home = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
    python = next(path for path in (home / "bin/python", home / "Scripts/python.exe") if path.exists())
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", "--no-deps", wheel]
    subprocess.run(install, check=True)
    site = subprocess.check_output([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True)
    (Path(site.strip()) / "lent.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")

    bare = {"PATH": "", "HOME": str(tmp_path), "SYSTEMROOT": os.environ.get("SYSTEMROOT", "")}
    done = subprocess.run([python, "-c", TOUR], cwd=tmp_path, env=bare, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).is_relative_to(home)
    assert "http-equiv" in (tmp_path / "tape.html").read_text(encoding="utf-8").lower()
    assert (tmp_path / "tape.svg").read_text(encoding="utf-8").lstrip().startswith("<svg")
