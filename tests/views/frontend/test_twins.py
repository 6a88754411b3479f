"""What Python and JavaScript write of the same things reads the same: the front end's words are held to Python's."""

from __future__ import annotations

import json
from itertools import combinations, cycle, islice, product
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from tapeviz.diagnosis.wording import places
from tapeviz.events import catalog
from tapeviz.source.sites import Site
from tapeviz.views.page import signs
from tapeviz.views.payload import payload
from tapeviz.views.reading import read
from tapeviz.views.reading.gradients import GrowingGradients
from tapeviz.views.reading.sketch import tensors_of
from tapeviz.views.words import levels, numbers
from tapeviz.views.words.rules import PLACE, rule_line
from tests.literal_logs import Script
from tests.views.javascript import in_javascript
from tests.views.samples import LOGS

pytestmark = pytest.mark.node

WHOLE = Path(__file__).with_name("twins.mjs")


def in_every_row(names: list[str | float]) -> Script:
    """Every op of the catalog, with attributes and inputs of these names or numbers, two more than it has arguments."""
    log = Script()
    known = {name: log.variable(name, np.ones(2 + len(name))) for name in names if isinstance(name, str)}
    with log.tape(watch=list(known.values())):
        for name, row in catalog.ROWS.items():
            formulas = " ".join(filter(None, (row.formula, *row.vjps.values())))
            attributes = {place[2] for place in PLACE.finditer(formulas)} - {*row.arguments, "g", "out"}
            inputs = islice(cycle(names), len(row.arguments) + 2)
            attrs = [(each, (1, 0)) for each in sorted(attributes) if not each.endswith("_shape")]
            log.op(name, *(known.get(each, each) for each in inputs), attrs=attrs, value=np.ones(9))
    return log


NAMES: list[list[str | float]] = [
    ["x", "w₁", "f(x)"],
    ["x", "labels", "net.bias"],
    ["∂loss", "_a", "3.x"],
    [2.0, "x", -0.5],
    ["x", 3.0, 1.0],
]


@pytest.mark.parametrize("names", NAMES, ids=str)
def test_the_rule_of_an_argument(names: list[str | float]) -> None:
    reading = read(in_every_row(names))
    ours = [[rule_line(reading.names, op, slot) for slot in range(len(op.inputs))] for op in reading.graph.ops.values()]
    [theirs] = in_javascript(WHOLE, "ruleLines", [[payload(reading)]])
    assert ours == theirs
    assert sum(bool(line) for lines in ours for line in lines) > len(catalog.ROWS)


FORGOTTEN = 0.25


class Forgetful(Script):
    """A log that has not kept one number, wherever it arrived."""

    def entry(self, tensor: int, at: int | None = None) -> Any:
        found = super().entry(tensor, at)
        return None if np.shape(found) == () and found == FORGOTTEN else found


def halves() -> Script:
    """Two outputs of one op, of which the numbers of the first one's gradient are not kept."""
    log = Forgetful()
    x = log.variable("x", np.ones(4))
    with log.tape(watch=[x]) as tape:
        first, second = log.op("split", x, value=(1.0, 2.0), outputs=2)
        y = log.op("mul", first, second, value=2.0, saved=(0, 1))
    log.backward(tape, y, [x], steps=[(y, [FORGOTTEN, -1.5]), (first, [np.full(4, 0.5)])])
    return log


@pytest.mark.parametrize("make", [*LOGS.values(), halves])
def test_the_gradient_on_a_box(make: Any) -> None:
    reading = read(make())
    for run in reading.runs[:1]:
        growing, packed = GrowingGradients(reading.graph, run), payload(reading)
        boxes = [tensors_of(reading.graph, box) for box in reading.sketch.boxes][-40:]
        steps = range(len(run.steps) + 1)
        ours = [[growing.at(tensors, step) for step in steps] for tensors in boxes]
        assert in_javascript(WHOLE, "gradientLines", [[packed, tensors] for tensors in boxes]) == ours


VALUES: list[Any] = [
    *(2.0, -0.5, 1e-9, -1e9, float("nan"), float("-inf"), 7, True),
    *(np.array([1.0, -2.0]), np.array([[3.6, -0.0], [7.2, 0.0]]), np.array([1 / 3, 1e-9 / 7, -1e9 / 7]), np.array([])),
    *(np.arange(-3.0, 6.0), np.full(9, np.nan), np.array([-np.inf] * 9), np.zeros((3, 4)), np.arange(9) * 1j),
]


def test_a_value_on_one_line_and_on_a_box() -> None:
    log = Script()
    for number, value in enumerate(VALUES):
        log.op("square", log.variable(f"v{number}", value))
    reading = read(log)
    cards = payload(reading)["tensors"]
    kept = {id: log.value(int(id)) for id in cards}
    sent = [[cards[id]] for id in kept]
    assert in_javascript("words/numbers.js", "shortText", sent) == [
        numbers.written(numbers.short_text(each)) for each in kept.values()
    ]
    spread = ((each, levels.histogram(each)) for each in kept.values())
    strips = [f":{letters}" if letters else levels.strip(each) for each, letters in spread]
    assert in_javascript("timeline/lens.js", "stripText", sent) == strips


def test_a_minus_sign() -> None:
    texts = ["-1.5", "[-1.5, 2.0] x-1 1e-09", "-inf", "(-.5)-1", "a -b", "w)-1", "w]-1 --1"]
    assert in_javascript("words/numbers.js", "written", [[each] for each in texts]) == [*map(numbers.written, texts)]


def test_a_number_of_bytes() -> None:
    counts = [
        *range(0, 4096, 13),
        *(x * 1024**n + d for x in (1, 1.25, 1023.99, 5120) for n in (1, 2, 3) for d in (-1, 0, 1)),
    ]
    assert in_javascript("words/numbers.js", "bytesText", [[each] for each in counts]) == [
        *map(numbers.bytes_text, counts)
    ]


def test_a_sign() -> None:
    every = get_args(signs.ValueState)
    some = [list(each) for count in range(len(every) + 1) for each in combinations(every, count)]
    calls = [[[*states, *states[:1] * 1_000], *kinds] for states in some for kinds in product([False, True], repeat=2)]
    ours = [sign and sign._asdict() for sign in (signs.sign_of(*call) for call in calls)]
    assert in_javascript("words/signs.js", "signOf", [[*call, signs.WORDS] for call in calls]) == json.loads(
        json.dumps(ours)
    )


def test_a_place_in_a_program_of_several_files() -> None:
    paths = ["train.py", "/home/src/model.py", "a b/c.d.py", "<ipython-input-3>", "Cell In[3]"]
    sites = [{"file": path, "line": line} for line, path in enumerate(paths)]
    ours = [places.words(Site(path, line, line, 0, 0, "f", "")) for line, path in enumerate(paths)]
    assert in_javascript("words/lines.js", "lineIn", [[sites, line] for line in range(len(paths))]) == ours
