"""`tapeviz run` on real gradient problems: exit code and traceback are plain Python's, then comes the diagnosis."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.scripts import script
from tests.forks import Forks
from tests.recorders import shared_cases

CASES = shared_cases.paths("torch")[::3]  # all of them are diagnosed elsewhere

UNEXPLAINED = {"last_step_of_a_padded_batch"}
"""Those of them whose cause no diagnosis names yet; one that is named goes from here."""


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.skipif(not CASES, reason="shared/cases is not beside the repository")
@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_a_case_made_a_script(case: Path, tmp_path: Path, with_torch: Forks) -> None:
    path = script(tmp_path, f"{case.read_text()}\nimport torch; run(torch)\n")
    plain, ours = with_torch.start(tmp_path, path), with_torch.start(tmp_path, "-m", "tapeviz", "run", path)
    assert (ours.returncode, ours.stdout) == (plain.returncode, plain.stdout)
    assert ours.stderr.startswith(plain.stderr)
    said = ours.stderr[len(plain.stderr) :].decode()
    assert said.startswith("\ntapeviz: ")
    assert (f"[{shared_cases.load(case).CAUSE}]" in said) is (case.stem not in UNEXPLAINED)
