"""The page of several ranks: what they show together, and a debugger for each of some."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.diagnosis import diagnose
from tapeviz.events import EventLog
from tapeviz.events.store.ranks import Ranks, rank_file
from tapeviz.views.page import ranks_page as ranks_page_module
from tapeviz.views.page.document import unpacked
from tapeviz.views.page.ranks_page import MOST_DRAWN, ranks_page
from tests.growth import timed

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


def log_of_rank(rank: int, otherwise: Callable[[Any], Any] = lambda x: x) -> Any:
    """One step of a model, with examples of one rank, which may do something `otherwise`."""
    with tv.record() as log:
        torch.manual_seed(0)
        model = torch.nn.Linear(3, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        loss = otherwise(model(torch.full((4, 3), rank + 1.0))).square().mean()
        loss.backward()
        optimizer.step()
    return log


@pytest.fixture(scope="module")
def ranks() -> Ranks:
    return Ranks({rank: log_of_rank(rank) for rank in range(2)})


def test_it_opens_at_what_the_ranks_show_together(ranks: Ranks) -> None:
    page = ranks_page(ranks)
    assert "reduction_missing" in page
    assert "model.weight" in page
    assert page.count("<option") == 3
    assert page.index('value="all"') < page.index('value="0"')


def test_each_rank_has_a_payload_of_its_own(ranks: Ranks) -> None:
    parts = unpacked(ranks_page(ranks))
    assert set(parts) == {"rank-0", "rank-1", "tapeviz-styles", "tapeviz-module"}
    assert parts["rank-0"] != parts["rank-1"]
    assert json.loads(parts["rank-0"])


def test_of_many_ranks_some_are_drawn_and_all_are_in_the_table(ranks: Ranks) -> None:
    many = Ranks({rank: ranks[rank % 2] for rank in range(20)})
    page = ranks_page(many)
    assert page.count("<option") == 1 + MOST_DRAWN
    assert f"{20 - MOST_DRAWN} more ranks" in page
    assert "over 20 ranks" in page


def test_as_many_are_drawn_as_there_is_room_for(ranks: Ranks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tapeviz.views.page.ranks_page.MOST_BYTES", 1)
    page = ranks_page(ranks)
    assert set(unpacked(page)) == {"rank-0", "tapeviz-styles", "tapeviz-module"}
    assert "1 more rank in the table alone" in page


def test_ranks_that_did_the_same_are_diagnosed_and_drawn_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many there are, one is read as a whole."""
    for rank in range(6):
        tv.save(log_of_rank(rank), rank_file(tmp_path, rank))
    found: list[Any] = []
    looked = diagnose._found
    monkeypatch.setattr(diagnose, "_found", lambda graph, sweeps: found.append(graph) or looked(graph, sweeps))
    monkeypatch.setattr(ranks_page_module, "MOST_EVENTS", 0)
    many = tv.load(tmp_path)
    page = ranks_page(many)
    assert len(found) == 1
    assert set(unpacked(page)) == {"rank-0", "tapeviz-styles", "tapeviz-module"}
    assert "Rank 0 stands for ranks 1, 2, 3, 4 and 5: the same ops ran at the same lines." in page
    assert [rank for rank, log in many.items() if "events" in vars(log._read())] == [0]


def test_a_rank_more_costs_a_part_of_what_the_first_does(tmp_path: Path) -> None:
    def diagnosed(ranks: int, below: float = 0.0) -> float:
        place = tmp_path / str(ranks)
        place.mkdir()
        for rank in range(ranks):
            rank_file(place, rank).write_bytes(saved.read_bytes())
        return timed(lambda: tv.diagnose(tv.load(place)), below)[1]

    saved = tv.save(log_of_rank(0, _deep), tmp_path / "log.tape")
    most = 5 * diagnosed(1)  # ten times as much to read
    assert diagnosed(10, most) < most


def _deep(x: Any) -> Any:
    for _ in range(200):
        x = torch.tanh(x) * 1.5
    return x


def test_one_that_did_something_else_is_drawn_beside_the_first(ranks: Ranks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranks_page_module, "MOST_EVENTS", 0)
    many = Ranks(dict.fromkeys(range(5), ranks[0]) | {5: log_of_rank(5, torch.tanh)})
    page = ranks_page(many)
    assert {"rank-0", "rank-5"} <= set(unpacked(page))


def test_without_values_and_sources_it_tells_neither(ranks: Ranks, tmp_path: Path) -> None:
    page = tv.save_html(ranks, tmp_path / "ranks.html", values="none", sources=False).read_text()
    assert "backward()" not in page
    assert "norm of the gradient" not in page
    assert not any("backward()" in text for name, text in unpacked(page).items() if name.startswith("rank-"))


def test_logs_of_nothing_have_a_page(tmp_path: Path) -> None:
    page = tv.save_html(Ranks({0: EventLog(), 1: EventLog()}), tmp_path / "ranks.html").read_text()
    assert "none stands out" in page


def test_notes_are_for_one_log(ranks: Ranks, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="ranks"):
        tv.save_html(ranks, tmp_path / "ranks.html", notes={1: "a"})


def test_in_a_terminal_it_is_text(ranks: Ranks, capsys: pytest.CaptureFixture[str]) -> None:
    tv.show(ranks)
    shown = capsys.readouterr().out
    assert "2 logs, ranks 0 and 1" in shown
    assert "norm of the gradient over 2 ranks" in shown
    assert "reduction_missing" in shown
