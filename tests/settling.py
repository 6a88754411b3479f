"""Long recordings in short: records settle a few at a time, as soon as they may."""

from __future__ import annotations

import pytest

from tapeviz.events import log
from tapeviz.events.raw import STRIDE


def settle_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on, to the end of the test."""
    monkeypatch.setattr(log, "LATEST", 2 * STRIDE)
    monkeypatch.setattr(log, "CHUNK", 3 * STRIDE)
