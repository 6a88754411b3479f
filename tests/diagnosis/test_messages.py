"""Every message, as it is read: `pytest --update-golden` on this file writes them anew, to be read before they land."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import tapeviz as tf
from tapeviz.diagnosis import diagnose
from tests.diagnosis.cause_pages import placed
from tests.diagnosis.faulty import FAULTY
from tests.diagnosis.programs import run

FILE = Path(__file__).parent / "golden" / "messages.txt"


def test_every_message(golden: Callable[[Path, str], None]) -> None:
    parts = [f"== {each.causes[0]}: {each.name}\n{diagnose(run(each.broken, tf))}" for each in FAULTY]
    golden(FILE, placed("\n\n".join(parts)) + "\n")
