"""Long recordings in short: records settle a few at a time, as soon as they may."""

from __future__ import annotations

import pytest

from tapeviz.events.memory import records
from tapeviz.events.raw import STRIDE


def settle_early(monkeypatch: pytest.MonkeyPatch, latest: int = 2) -> None:
    """From here on, to the end of the test, all but the `latest` records."""
    monkeypatch.setattr(records, "LATEST", latest * STRIDE)
    monkeypatch.setattr(records, "CHUNK", 3 * STRIDE)
