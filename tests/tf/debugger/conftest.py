"""Programs of Keras and of data are run in `tapeviz`, also by tests that stand elsewhere and run them in TensorFlow."""

from __future__ import annotations

import pytest


@pytest.fixture
def framework() -> str:
    return "tapeviz"
