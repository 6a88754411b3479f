"""Three times the layers, with three times the sources, take at most four times the work, whatever is wrong.

The work is counted in calls of functions, Python's and NumPy's, which are the same at every run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.events import EventLog
from tapeviz.events.collector_paused import collector_paused
from tests.diagnosis.growing_nets import NETS, Net, in_pytorch, in_tensorflow

LAYERS = 60
FEWER = 40
GROWTH = 4.0


@collector_paused  # what the garbage of other tests calls as it is collected does not count
def calls_of(verb: Callable[[EventLog], object], log: EventLog) -> int:
    """How many functions are called by a verb."""
    count = 0

    def note(*_: Any) -> None:
        nonlocal count
        count += 1

    sys.setprofile(note)
    try:
        verb(log)
    finally:
        sys.setprofile(None)
    return count


def growth(verb: Callable[[EventLog], object], net: Net, layers: int = LAYERS) -> float:
    """How much more work three times the layers are."""
    verb(net(3))  # what is loaded or compiled at the first use
    small, large = net(layers), net(3 * layers)
    return calls_of(verb, large) / calls_of(verb, small)


def diagnosed(log: EventLog) -> str:
    return str(tv.diagnose(log))


@pytest.mark.parametrize("net", NETS.values(), ids=NETS)
def test_a_diagnosis_grows_as_its_net_does(net: Net) -> None:
    assert growth(diagnosed, net) < GROWTH


@pytest.mark.torch
def test_so_it_does_for_a_net_of_pytorchs() -> None:
    pytest.importorskip("torch")
    assert growth(diagnosed, in_pytorch, FEWER) < GROWTH


def test_so_it_does_for_a_net_of_tensorflows() -> None:
    pytest.importorskip("tensorflow")
    assert growth(diagnosed, in_tensorflow, FEWER) < GROWTH


def test_so_do_the_table_the_display_and_the_page(tmp_path: Path) -> None:
    net = NETS["unused"]
    assert growth(lambda log: str(tv.table(log)), net, FEWER) < GROWTH
    assert growth(lambda log: log._repr_mimebundle_(), net, FEWER) < GROWTH
    assert growth(lambda log: tv.save_html(log, tmp_path / "page.html"), net, FEWER) < GROWTH
