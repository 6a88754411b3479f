"""Long recordings in short: records settle a few at a time, as soon as they may."""

from __future__ import annotations

import pytest

from tapeviz.events import log, settling
from tapeviz.events.raw import STRIDE


def settle_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on, to the end of the test."""
    monkeypatch.setattr(settling, "LATEST", 2 * STRIDE)
    for module in (settling, log):
        monkeypatch.setattr(module, "CHUNK", 3 * STRIDE)
