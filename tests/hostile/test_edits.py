"""An edited log gives an answer or one `LogError` in every verb, a damaged file loads or is refused: a sample."""

from __future__ import annotations

from pathlib import Path

import pytest

import tapeviz as tv
from tapeviz.errors import LogFileError
from tests.hostile.edits import VERBS, answers, edited, mutated
from tests.views.samples import read_out
from tests.views.test_real_tapes import two_layers

EDITED, MUTATED = 10, 300


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two logs, whole."""
    folder = tmp_path_factory.mktemp("sources")
    return [tv.save(log, folder / f"{name}.tape") for name, log in (("a", read_out()), ("b", two_layers()))]


def test_every_verb_answers_a_whole_log(sources: list[Path], tmp_path: Path) -> None:
    for source in sources:
        told = list(answers(source, tmp_path))
        assert [verb for verb, _, _ in told] == ["load", *VERBS]
        assert [error for *_, error in told if error is not None] == []


def test_every_verb_answers_an_edited_one(sources: list[Path], tmp_path: Path) -> None:
    loaded = 0
    for seed in range(10 * EDITED):
        for verb, took, error in answers(edited(sources[seed % 2], tmp_path / "edited.tape", seed), tmp_path):
            assert error is None, f"seed {seed}, {verb}"
            assert took < 5
            loaded += verb == "save"
        if loaded == EDITED:
            break
    assert loaded == EDITED


def test_a_damaged_file_loads_or_is_refused(sources: list[Path], tmp_path: Path) -> None:
    refused = 0
    for seed in range(MUTATED):
        try:
            tv.load(mutated(sources[seed % 2], tmp_path / "mutated.tape", seed))
        except LogFileError:
            refused += 1
    assert MUTATED // 2 < refused < MUTATED


def test_an_error_that_is_no_answer_is_told(
    sources: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(VERBS, "depth", lambda log, folder: log.events[10**6])
    [(verb, error)] = [(verb, error) for verb, _, error in answers(sources[0], tmp_path) if error is not None]
    assert (verb, type(error)) == ("depth", IndexError)
