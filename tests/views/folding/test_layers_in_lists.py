"""Loops over lists of layers: a box per layer, each by its name, and those of a class unfolded together."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tapeviz as tv
from tapeviz.views.folding.initially_unfolded import initially_unfolded
from tapeviz.views.reading import read
from tapeviz.views.scene.looks import looks
from tapeviz.views.scene.placed import NAMES, opening

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


class Block(torch.nn.Module):
    """Eight ops, a layer besides."""

    def __init__(self, skip=False):
        super().__init__()
        self.inner, self.skip = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4) if skip else None

    def forward(self, x):
        h = torch.tanh(torch.sigmoid(self.inner(x)) * 2.0) + 0.5
        h = torch.relu(h) - 0.1
        return h + (x if self.skip is None else self.skip(x))


class Hourglass(torch.nn.Module):
    """Down and up, with what each level had on the way down; a block of its own between them."""

    def __init__(self, levels=3):
        super().__init__()
        self.down = torch.nn.ModuleList(Block() for _ in range(levels))
        self.middle = Block()
        self.up = torch.nn.ModuleList(Block() for _ in range(levels))

    def forward(self, x):
        kept = []
        for block in self.down:
            x = block(x)
            kept.append(x)
            x = x * 0.5
        x = self.middle(x)
        for block in self.up:
            x = block(x + kept.pop())
        return x


class Stages(torch.nn.Module):
    """Stages that are called on one line, of two blocks each that are not alike."""

    def __init__(self):
        super().__init__()
        self.stage1, self.stage2, self.stage3 = (
            torch.nn.Sequential(Block(skip=bool(each)), Block()) for each in range(3)
        )

    def forward(self, x):
        return self.stage3(self.stage2(self.stage1(x)))


class Heads(torch.nn.Module):
    """A short function is called three times on one line."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (torch.nn.Linear(4, 4) for _ in range(3))

    def split(self, x):
        return x.view(2, 2, 2).transpose(0, 1)

    def forward(self, x):
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        return torch.softmax(q @ k, -1) @ v


def recorded(model):
    """A reading of one step."""
    torch.manual_seed(0)
    with tv.record() as log:
        model(torch.randn(2, 4)).square().mean().backward()
    return read(log)


def opened(model):
    """The groups of a recorded step, indented: those that a picture opens with unfolded, and those that are boxes."""
    reading = recorded(model)
    rows, unfolded = reading.groups.rows, set(initially_unfolded(reading.places, reading.groups))
    return [
        f"{'  ' * _depth(rows, group)}{row.title}"
        for group, row in enumerate(rows)
        if row.parent < 0 or row.parent in unfolded
    ]


def _depth(rows, group):
    parent = rows[group].parent
    return 0 if parent < 0 else 1 + _depth(rows, parent)


def test_a_round_that_calls_a_layer_of_a_list_goes_by_its_name():
    assert opened(Hourglass()) == [
        "Hourglass",
        "  down × 3",
        *("    down.0", "    down.1", "    down.2"),
        "  middle",
        "  up × 3",
        *("    up.0", "    up.1", "    up.2"),
    ]


@pytest.mark.parametrize(("levels", "lists"), [(3, ["down × 3", "up × 3"]), (9, [])])
def test_no_more_is_unfolded_than_can_be_read(levels, lists):
    """What goes past the levels keeps a picture of many from being wrapped."""
    reading = recorded(Hourglass(levels))
    unfolded = [reading.groups.rows[each].title for each in opening(looks(reading), reading, {})]
    assert unfolded[1:] == lists


def test_modules_that_one_line_calls_are_no_loop():
    assert opened(Stages()) == [
        "Stages",
        *("  stage1", "    0", "    1"),
        *("  stage2", "    0", "    1"),
        *("  stage3", "    0", "    1"),
    ]


def test_a_function_that_one_line_calls_several_times_is_no_loop():
    assert opened(Heads()) == ["Heads", "  repeat × 3", "    repeat 1", "    repeat 2", "    repeat 3"]


def test_names_can_be_read_down_to_the_same_scale_on_a_page():
    framing = Path(tv.__file__).parent / "views" / "frontend" / "viewport" / "framing.js"
    assert re.search(r"^const NAMES = (.*);$", framing.read_text(), re.MULTILINE)[1] == str(NAMES)
