"""What docs/libraries.md promises: the page, and half of the dozen of `test-libraries`, if they are installed."""

from __future__ import annotations

import re

import pytest

from tests.diagnosis.planted.healthy import programs
from tests.libraries.__main__ import PAGE, ROUNDING, row
from tests.libraries.trial import Trial
from tests.libraries.trials import is_tried, trials
from tests.sampling import THOROUGH, sample

DOZEN = (
    "jax_equinox",
    "jax_haiku",
    "jax_jraph",
    "jax_lineax",
    "jax_optax",
    "torch_einops",
    "torch_ema",
    "torch_entmax",
    "torch_higher",
    "torch_normflows",
    "torch_torchdiffeq",
    "torch_torchsde",
)
ALL = {each.name: each for each in programs()}
ROWS = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if re.match(r"\| \S", line)][1:]


def test_the_page_holds_fifty_libraries_whose_results_are_theirs() -> None:
    cells = [[each.strip() for each in row.strip("|").split("|")] for row in ROWS if "---" not in row]
    assert len({each[0] for each in cells}) >= 50
    assert [each for each in cells if not each[4].startswith("equal")] == []
    assert len({each[0] for each in cells if each[7].endswith(": named")}) >= 40
    assert {each[2] for each in cells} <= ALL.keys()


@pytest.mark.parametrize("name", DOZEN if THOROUGH else sample(DOZEN, 6))
def test_a_library_is_recorded_as_the_page_says(name: str) -> None:
    if not is_tried(ALL[name]):
        pytest.skip(f"not installed: {ALL[name].library} (pip install tapeviz[test-libraries])")
    [(_, trial)] = trials(name)
    assert trial.error == ""
    assert trial.apart <= ROUNDING
    assert trial.named == 1
    assert trial.told == "named", trial.fault


def test_a_row_says_what_went_wrong() -> None:
    program = ALL["torch_einops"]
    assert "| no: ValueError: oh |" in row(program, Trial(program.name, error="ValueError: oh"))
    assert "| differ by 0.5 |" in row(program, Trial(program.name, apart=0.5))
    assert "| hidden as signs: missed |" in row(program, Trial(program.name, fault="hidden_as_signs", told="missed"))
