"""What the axes of gradients are called, in programs that use TensorFlow's names."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeviz as tv
from tapeviz.views.payload import payload


def test_a_gradient_has_the_axes_of_its_tensor() -> None:
    x, w = tv.Variable(np.ones((1, 8, 8, 3)), name="x"), tv.Variable(np.ones((3, 3, 3, 5)), name="w")
    with tv.GradientTape() as tape:
        loss = tv.reduce_sum(tv.nn.conv2d(x, w, strides=1, padding="SAME"))
    tape.gradient(loss, [x, w])
    packed: dict[str, Any] = payload(tape)
    for source in packed["runs"][0]["gradients"]:
        grids = [packed["tensors"][str(source[each])]["grid"] for each in ("source", "cotangent")]
        assert [grid["names"] for grid in grids] == [grids[0]["names"]] * 2
        assert grids[0]["sides"] == grids[1]["sides"]
        assert all(grids[0]["names"])
