"""Every file is written by one function, and is whole whatever happens meanwhile: a sample of the long form."""

from __future__ import annotations

import ast
import builtins
import io
import os
import stat
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.events import EventLog
from tapeviz.events.program.frames import outward
from tapeviz.events.store import atomic
from tests.hostile.exporters import EXPORTERS, OPENS
from tests.views.samples import cube, read_out

OPEN = io.open
PACKAGE = Path(tv.__file__).parent
WRITERS = {"write_text", "write_bytes", "touch", "mkstemp", "NamedTemporaryFile", "TemporaryFile", "savefig_to"}
OF_OS = {"open", "replace", "rename", "renames", "link", "symlink", "truncate", "remove"}
posix = pytest.mark.skipif(sys.platform == "win32", reason="there are no such permissions and links")


def writes_in(tree: ast.Module) -> Iterator[int]:
    """The lines that open a file for writing, or write or move one without that."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="os"), attr=name)) if name in OF_OS:
                yield node.lineno
            case ast.Call(func=ast.Name(id="open") | ast.Attribute(attr="open"), args=args, keywords=options):
                given = [*args, *(each.value for each in options if each.arg == "mode")]
                modes = [each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str)]
                if any(len(mode) <= 3 and set(mode) & set("wax+") for mode in modes) or _chooses(given):
                    yield node.lineno
            case ast.Call(func=ast.Attribute(attr=name)) if name in WRITERS:
                yield node.lineno


def _chooses(given: list[ast.expr]) -> bool:
    """Whether a mode is chosen as the program runs."""
    return any(isinstance(each, ast.IfExp) for each in given)


def test_no_other_code_opens_a_file_for_writing() -> None:
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if list(writes_in(ast.parse(path.read_text(encoding="utf-8"))))
    }
    assert found == {each for each in OPENS if (PACKAGE / each).exists()}


@pytest.mark.parametrize("name", EXPORTERS)
def test_only_that_function_opens_a_file_as_an_exporter_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever libraries do."""
    openers: list[set[str]] = []

    def heard(file: Any, mode: str = "r", *args: Any, **options: Any) -> Any:
        if set(mode) & set("wax+") and str(file).startswith(str(tmp_path)):
            openers.append({frame.f_code.co_filename for frame in outward(sys._getframe())})
        return OPEN(file, mode, *args, **options)

    monkeypatch.setattr(io, "open", heard)
    monkeypatch.setattr(builtins, "open", heard)
    EXPORTERS[name](cube(), tmp_path)
    assert openers
    assert all(atomic.__file__ in each for each in openers)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a fault is a process's own")
@pytest.mark.parametrize("kind", ["kill", "full", "limit"])
@pytest.mark.parametrize("name", ["save", "draw svg", "frames"])
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_file_is_whole_after_a_fault(name: str, kind: str, tmp_path: Path) -> None:
    from tests.hostile.faults import Rewriting

    logs: tuple[EventLog, EventLog] = cube(), read_out()
    rewriting = Rewriting(EXPORTERS[name], *logs, tmp_path)
    faults = list(rewriting.faults(kind, 4))  # type: ignore[arg-type]
    assert faults
    assert [each for fault in faults for each in rewriting.wrong(fault)] == []


@posix
def test_permissions_stay_and_links_are_followed(tmp_path: Path) -> None:
    real = tmp_path / "real.html"
    real.write_text("old")
    real.chmod(0o640)
    link = tmp_path / "link.html"
    link.symlink_to(real.name)
    tv.save_html(cube(), link)
    assert link.is_symlink()
    assert real.read_text().startswith("<!doctype html>")
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    fresh = tv.save_html(cube(), tmp_path / "fresh.html")
    (tmp_path / "plain").write_text("")
    assert fresh.stat().st_mode == (tmp_path / "plain").stat().st_mode


@posix
def test_a_link_to_nothing_is_followed_too(tmp_path: Path) -> None:
    (tmp_path / "link.svg").symlink_to("real.svg")
    tv.draw(cube(), tmp_path / "link.svg")
    assert (tmp_path / "link.svg").is_symlink()
    assert (tmp_path / "real.svg").read_text().startswith("<svg")


@posix
def test_a_device_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    told: list[bytes] = []
    reader = threading.Thread(target=lambda: told.append(pipe.read_bytes()))
    reader.start()
    tv.draw(cube(), format="svg").save(pipe)
    reader.join(30)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert told[0].startswith(b"<svg")


@posix
def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kept.svg"
    path.write_text("old")
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write to any
    with pytest.raises(PermissionError, match=r"may not be written: '.*kept\.svg'"):
        tv.draw(cube(), path)
    assert path.read_text() == "old"


def test_what_a_kill_left_is_deleted_and_what_is_being_written_is_not(tmp_path: Path) -> None:
    path = tmp_path / "log.svg"
    left, other = tmp_path / ".log.svg.0a1b2c3d.part", tmp_path / ".other.svg.0a1b2c3d.part"
    left.write_text("half")
    other.write_text("half")
    with atomic.replacing(path) as file:
        file.write(b"slow")
        tv.draw(cube(), path)
        assert not left.exists()
        assert len(list(tmp_path.glob(".log.svg.*.part"))) == 1
    assert path.read_text() == "slow"
    assert sorted(each.name for each in tmp_path.iterdir()) == [other.name, path.name]


def test_an_error_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    with pytest.raises(OSError, match=r"'.*gone.a\.svg'"), atomic.replacing(folder / "a.svg"):
        pass
    with pytest.raises(ZeroDivisionError), atomic.replacing(tmp_path / "a.svg") as file:
        file.write(b"half" * (1 // 0))
    assert list(tmp_path.iterdir()) == []


def test_a_long_name_has_room_for_its_part(tmp_path: Path) -> None:
    path = tmp_path / f"{'å' * 120}.svg"
    assert tv.draw(cube(), path).format == "svg"
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
