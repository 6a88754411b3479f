"""The front end's JSDoc types, as TypeScript reads them; what Python writes is of the types that they tell.

All is checked in one go: most of the time it takes TypeScript to start, and to read its own library and our modules.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import tapeviz as tv
from tapeviz.views.page.compare_page import SideBySide
from tapeviz.views.page.document import unpacked
from tapeviz.views.page.modes_page import page
from tapeviz.views.payload import payload
from tapeviz.views.payload.columns import pack, unpack
from tests.fetched import fetched
from tests.views.frontend.fixture_tapes import TAPES
from tests.views.samples import LOGS, cube

ROOT = Path(__file__).parents[3]
VIEWS = ROOT / "tapeviz" / "views"
OF_ANOTHER_SHAPE = "of_another_shape"

pytestmark = pytest.mark.node


class Checked(NamedTuple):
    """What TypeScript has to say of each file, of none in particular under ""; the files that it read, and those of
    them that hold values."""

    said: Mapping[str, str]
    read: set[Path]
    values: set[Path]


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Checked:
    """Our modules, and a module for each value."""
    program = fetched("typescript", "TAPEVIZ_TYPESCRIPT") / "tsc.js"
    folder = tmp_path_factory.mktemp("types").resolve()
    for name, (module, kind, value) in written().items():
        of = f'import("{(VIEWS / module).as_posix()}").{kind}'
        text = f"/** @type {{{of}}} */\nexport const value = {json.dumps(value, indent=1)};\n"
        (folder / f"{name}.js").write_text(text)
    ours = [f"{ROOT.as_posix()}/{each}" for each in json.loads((ROOT / "jsconfig.json").read_text())["include"]]
    project = {"extends": str(ROOT / "jsconfig.json"), "include": [*ours, "*.js"]}
    (folder / "jsconfig.json").write_text(json.dumps(project))
    command = ["node", str(program), "--pretty", "false", "--listFiles", "--project", "jsconfig.json"]
    lines = subprocess.run(command, capture_output=True, text=True, cwd=folder).stdout.splitlines()
    listed = [line for line in lines if Path(line).is_file()]
    said: defaultdict[str, str] = defaultdict(str)
    place = ""
    for line in lines[: -len(listed)]:  # the files come last
        if not line.startswith(" "):  # what goes on about the line before is indented
            place = match[1] if (match := re.match(r"(.+?)\(\d+,\d+\): ", line)) else ""
        said[place] += f"{line}\n"
    return Checked(said, set(map(Path, listed)), set(folder.glob("*.js")))


def written() -> dict[str, tuple[str, str, Any]]:
    """JSON values that Python writes: name -> the module and the type that they should be of, and the value."""
    widget, answers = tv.debug(TAPES["cube"]()), list[Any]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(widget, "send", answers.append)
        widget._hear(widget, {"id": "a", "ask": "check", "run": 0, "step": 1}, [])
        widget._hear(widget, {"id": "b", "ask": "numbers", "tensor": -1}, [])
        of_mlp = tv.debug(TAPES["mlp"]())
        patch.setattr(of_mlp, "send", answers.append)
        weight = next(int(tensor) for tensor, each in of_mlp.payload["tensors"].items() if each["grid"])
        of_mlp._hear(of_mlp, {"id": "c", "ask": "cells", "tensor": weight, "rows": -1, "columns": 0}, [])
    assert [set(each) for each in answers] == [{"id", "answer"}, {"id", "error"}, {"id", "answer"}]
    traits = widget.get_state(["payload", "styles", "settable", "run", "step", "selected", "unfolded"])
    payloads = [payload(made(), notes={1: "first"}) for made in (*TAPES.values(), *LOGS.values())]
    modes = unpacked(page(tv.modes(lambda x: tv.sin(x) * x, x=2.0)))["modes-data"]
    compared = unpacked(SideBySide(tv.compare(cube(), cube())).page())["compare-data"]
    return {
        "payloads": ("frontend/types.js", "Payload[]", payloads),
        "packed": ("frontend/columns.js", "Packed", pack(payload(TAPES["mlp"]()))),
        "traits": ("frontend/types.js", "Traits", traits),
        "messages": ("frontend/types.js", "Message[]", answers),
        "check": ("frontend/types.js", "Checked", answers[0]["answer"]),
        "cells": ("frontend/types.js", "Grid", answers[2]["answer"]),
        "modes": ("frontend/modes_page.js", "ModesData", unpack(json.loads(modes))),
        "compared": ("frontend/compare_page.js", "CompareData", unpack(json.loads(compared))),
        OF_ANOTHER_SHAPE: ("frontend/types.js", "Payload", payload(cube()) | {"lesson": "none"}),
    }


def test_the_types_agree_and_what_python_writes_is_of_them(checked: Checked) -> None:
    assert {place: said for place, said in checked.said.items() if place != f"{OF_ANOTHER_SHAPE}.js"} == {}


def test_a_payload_of_another_shape_is_refused(checked: Checked) -> None:
    assert "'\"lesson\"' does not exist in type 'Payload'" in checked.said[f"{OF_ANOTHER_SHAPE}.js"]


def test_every_module_and_every_value_is_checked(checked: Checked) -> None:
    assert set(VIEWS.rglob("*.js")) | checked.values <= checked.read
    assert len(checked.values) == len(written())
