"""What every test has: golden files, TensorFlow, the seal, hypothesis profiles, a skip for what this machine lacks."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from collections.abc import Callable, Generator, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

import pytest
from hypothesis import settings

from tapeviz.events.defaults import Defaults

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # read by TensorFlow when it is first imported
# TensorFlow itself decides by the processor, and then knows layouts on one machine that it refuses on another.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")

# TensorFlow and the Triton of PyTorch's CUDA builds each bring an LLVM: if TensorFlow's comes first, the process dies.
if find_spec("triton") is not None and find_spec("tensorflow") is not None:
    import_module("triton")

# TAPEVIZ_HYPOTHESIS=thorough before a release; the default is the same at every run, so that red means changed.
settings.register_profile("default", deadline=None, derandomize=True, max_examples=50)
settings.register_profile("thorough", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("TAPEVIZ_HYPOTHESIS", "default"))


def pytest_configure(config: pytest.Config) -> None:
    """What JAX compiles is compiled once for all processes that tests run in: each op alone, many times otherwise."""
    if "JAX_COMPILATION_CACHE_DIR" not in os.environ:
        folder = TemporaryDirectory(prefix="tapeviz-jax-")
        config.add_cleanup(folder.cleanup)
        os.environ["JAX_COMPILATION_CACHE_DIR"] = folder.name
        os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"


# marker -> is it here?, what to say if not
NEEDS: dict[str, tuple[Callable[[], bool], str]] = {
    "tensorflow": (lambda: find_spec("tensorflow") is not None, "TensorFlow is not installed"),
    "torch": (lambda: find_spec("torch") is not None, "PyTorch is not installed"),
    "jax": (lambda: find_spec("jax") is not None, "JAX is not installed"),
    "autograd": (lambda: find_spec("autograd") is not None, "autograd is not installed"),
    "tinygrad": (lambda: find_spec("tinygrad") is not None, "tinygrad is not installed"),
    "node": (lambda: shutil.which("node") is not None, "node is not on PATH"),
    "graphviz": (
        lambda: find_spec("pygraphviz") is not None or shutil.which("dot") is not None,
        "neither pygraphviz nor Graphviz's dot is installed",
    ),
}


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is found among the tests is no garbage: the collector does not look at it, time and again, as it grows."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write golden files instead of comparing with them")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Only test files are read for doctests here: programs and drivers are what tests use."""
    if collection_path.suffix == ".py" and not collection_path.name.startswith("test_"):
        return True
    return None


_found: dict[str, int] = {}
"""How many tests were found in each test file that could be read."""
_skipped: set[str] = set()
"""The test files that skip themselves as a whole."""


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if not Path(report.nodeid).name.startswith("test_"):
        return
    if report.passed:
        _found[report.nodeid] = _found.get(report.nodeid, 0) + len(report.result)
    elif report.skipped and "unable to import module" not in str(report.longrepr):  # so doctests pass over an error
        _skipped.add(report.nodeid)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # Where doctests fail to import a file, half of it is left behind: it reads as one without tests.
    empty = [nodeid for nodeid, tests in _found.items() if not tests and nodeid not in _skipped]
    if empty:
        raise pytest.UsageError(f"No test was found in {', '.join(empty)}: can it be imported?")
    missing = {marker: advice for marker, (is_here, advice) in NEEDS.items() if not is_here()}
    for item in items:
        for marker, advice in missing.items():
            if item.get_closest_marker(marker) or {"recorders", marker} <= set(item.path.parts):
                item.add_marker(pytest.mark.skip(reason=advice))


@pytest.fixture(scope="module", autouse=True)
def _only_new_garbage() -> None:
    """The garbage collector looks at what is made from here on: the frameworks are large, and there are many tests."""
    _hold_what_there_is()


def _hold_what_there_is() -> None:
    gc.collect()
    gc.freeze()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """`golden(path, text)`: the file at `path` holds `text`; `pytest --update-golden` makes it so."""

    def compare(path: Path, text: str) -> None:
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"{path} is missing; `pytest --update-golden` writes it"
        assert text == path.read_text(encoding="utf-8"), f"{path} differs; `pytest --update-golden` accepts the change"

    return compare


@pytest.fixture(scope="session")
def tensorflow() -> ModuleType:
    """The oracle. A test without it skips."""
    found: ModuleType = pytest.importorskip("tensorflow", reason=NEEDS["tensorflow"][1])
    _hold_what_there_is()
    return found


@pytest.fixture(params=[pytest.param("tensorflow", marks=pytest.mark.tensorflow)])
def framework(request: pytest.FixtureRequest) -> str:
    """The module in which a program of Keras, or of data, is run; in `tests/tf/debugger` that is `tapeviz`."""
    name: str = request.param
    return name


@pytest.fixture(autouse=True)
def seal() -> Iterator[None]:
    """No test leaves a tape or a recording open, other defaults, or ops that flew by, which the next one would read."""
    before = (Defaults.values, Defaults.max_bytes, Defaults.ring)
    yield
    after = (Defaults.values, Defaults.max_bytes, Defaults.ring)
    Defaults.values, Defaults.max_bytes, Defaults.ring = before
    recording = sys.modules.get("tapeviz.engine.recording")
    if recording is not None:
        recording.flown.resize(Defaults.ring)
        left = recording.current.get()
        recording.current.set(recording.flight)
        assert left is recording.flight, "the test left a tape or a recording open"
    assert after == before, "the test left other defaults than it found"


@pytest.fixture(autouse=True, scope="module")
def compiled() -> Iterator[None]:
    """What JAX compiled for a module's tests goes with them: it would be gigabytes by the end of the suite."""
    yield
    if "jax" in sys.modules:
        sys.modules["jax"].clear_caches()
