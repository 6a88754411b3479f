"""A convolution over channels that come first, in PyTorch, and last, in the layers of `tapeviz.keras`."""

from __future__ import annotations

from tests.diagnosis.comparing.test_matching import (
    test_channels_first_and_last_are_one_value as test_channels_first_and_last_are_one_value,
)
from tests.diagnosis.comparing.test_ports import (
    test_channels_may_come_first_or_last as test_channels_may_come_first_or_last,
)
