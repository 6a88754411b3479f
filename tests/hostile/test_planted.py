"""What a user asked to leave out of a file is not in its bytes; what was not left out is found in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile.exporters import EXPORTERS
from tests.hostile.planted import DATA, LEFT_OUT, SECRETS, SOURCES, exports, found_in, leaks

QUICK = ("save", "save_html", "compare", "draw svg", "frames", "export trace", "export graph", "export netron")
"""Exporters; the others draw the same pictures."""


def test_no_file_has_what_was_to_be_left_out(tmp_path: Path) -> None:
    assert leaks(tmp_path, {name: EXPORTERS[name] for name in QUICK}) == []


def test_a_file_of_which_nothing_is_left_out_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "another"))
    folder, left_out = next(exports(tmp_path, {}))
    assert left_out == LEFT_OUT[0][1] == ()
    found = {each.split()[0] for each in found_in(folder, tuple(SECRETS)) if each.endswith("log.tape")}
    assert found == {*DATA, *SOURCES, "user"}
