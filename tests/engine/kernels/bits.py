"""What tests of very bits share: where these are TensorFlow's, and the comparison."""

import platform
import sys

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

ON_TENSORFLOWS_MACHINE = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64") or sys.platform != "linux",
    reason="TensorFlow's formulas for other registers, and other C libraries, are others",
)


def same_bits(ours, theirs):
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    known = ~np.isnan(theirs)
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(np.signbit(ours)[known], np.signbit(theirs)[known])
