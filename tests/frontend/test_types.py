"""The front end's JSDoc types, as TypeScript reads them; what Python writes is of the types that they tell."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.views.page.modes_page import page
from tapeviz.views.payload import payload
from tapeviz.views.payload.columns import pack
from tests.fetched import fetched
from tests.frontend.fixture_tapes import TAPES
from tests.views.samples import LOGS, cube

ROOT = Path(__file__).parents[2]
VIEWS = ROOT / "tapeviz" / "views"

pytestmark = pytest.mark.node


def tsc(project: Path, *options: str) -> str:
    """What TypeScript has to say of a project."""
    program = fetched("typescript", "TAPEVIZ_TYPESCRIPT") / "tsc.js"
    command = ["node", str(program), "--pretty", "false", "--project", str(project), *options]
    return subprocess.run(command, capture_output=True, text=True).stdout


def said_of(value: Any, module: str, name: str, folder: Path) -> str:
    """What TypeScript has to say of a JSON value that should be of a type of one of our modules."""
    kind = f'import("{(VIEWS / module).as_posix()}").{name}'
    text = json.dumps(value, indent=1)
    (folder / "value.js").write_text(f"/** @type {{{kind}}} */\nexport const value = {text};\n")
    project = {"extends": str(ROOT / "jsconfig.json"), "files": ["value.js"], "include": []}
    (folder / "jsconfig.json").write_text(json.dumps(project))
    return tsc(folder / "jsconfig.json")


def test_the_types_agree() -> None:
    assert tsc(ROOT / "jsconfig.json") == ""


def test_every_module_is_checked() -> None:
    listed = {Path(line) for line in tsc(ROOT / "jsconfig.json", "--listFilesOnly").splitlines()}
    assert set(VIEWS.rglob("*.js")) <= listed


def test_payloads_are_of_their_type(tmp_path: Path) -> None:
    payloads = [payload(made(), notes={1: "first"}) for made in (*TAPES.values(), *LOGS.values())]
    assert said_of(payloads, "frontend/types.js", "Payload[]", tmp_path) == ""


def test_a_packed_payload_is_of_its_type(tmp_path: Path) -> None:
    assert said_of(pack(payload(TAPES["mlp"]())), "frontend/columns.js", "Packed", tmp_path) == ""


def test_what_a_live_widget_shows_and_answers_is_of_its_types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    widget = tv.debug(TAPES["cube"]())
    traits = widget.get_state(["payload", "styles", "settable", "run", "step", "selected", "unfolded"])
    assert said_of(traits, "frontend/types.js", "Traits", tmp_path) == ""
    answers: list[Any] = []
    monkeypatch.setattr(widget, "send", answers.append)
    widget._hear(widget, {"id": "a", "ask": "check", "run": 0, "step": 1}, [])
    widget._hear(widget, {"id": "b", "ask": "numbers", "tensor": -1}, [])
    assert [set(each) for each in answers] == [{"id", "answer"}, {"id", "error"}]
    assert said_of(answers, "frontend/types.js", "Message[]", tmp_path) == ""
    assert said_of(answers[0]["answer"], "frontend/types.js", "Checked", tmp_path) == ""


def test_the_data_of_a_modes_page_is_of_its_type(tmp_path: Path) -> None:
    [data] = re.findall(r'id="modes-data">([^<]*)<', page(tv.modes(lambda x: tv.sin(x) * x, x=2.0)))
    assert said_of(json.loads(data), "frontend/modes_page.js", "ModesData", tmp_path) == ""


def test_a_payload_of_another_shape_is_refused(tmp_path: Path) -> None:
    said = said_of(payload(cube()) | {"lesson": "none"}, "frontend/types.js", "Payload", tmp_path)
    assert "'\"lesson\"' does not exist in type 'Payload'" in said
