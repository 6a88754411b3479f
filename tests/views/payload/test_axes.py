"""What the axes of a log's tensors are called."""

from __future__ import annotations

import numpy as np
import pytest

from tapeviz.views.payload.axes import axes_of_all
from tapeviz.views.reading import read
from tests.literal_logs import Script


def script(*ops: tuple[str, list[str], tuple[int, ...]], **leaves: tuple[int, ...]) -> Script:
    """Leaves by their shapes; ops by what they read, the shape of their result, which has the op's name."""
    log, known = Script(), dict[str, int]()
    with log.tape(watch=[]):
        for name, shape in leaves.items():
            known[name] = log.variable(name, np.ones(shape))
        for op, inputs, shape in ops:
            known[op] = log.op(op, *(known[each] for each in inputs), value=np.ones(shape))
    return log


def names(log: Script) -> dict[str, str]:
    """Tensor -> the names of its axes."""
    reading = read(log)
    return {reading.names.tensor(tensor): " ".join(axes.names) for tensor, axes in axes_of_all(reading).items()}


LAST, FIRST = "image row column channel", "image channel row column"


@pytest.mark.parametrize(
    ("log", "found"),
    [
        (
            script(
                ("conv2d", ["x", "w"], (2, 8, 8, 5)), ("relu", ["conv2d"], (2, 8, 8, 5)), x=(2, 8, 8, 3), w=(3, 3, 3, 5)
            ),
            {"x": LAST, "w": "row column from to", "conv2d": LAST, "relu": LAST},
        ),
        (
            script(("conv", ["x", "w"], (2, 5, 6, 6)), ("sum", ["conv"], ()), x=(2, 3, 8, 8), w=(5, 3, 3, 3)),
            {"x": FIRST, "w": "to from row column", "conv": FIRST},
        ),
        (  # JAX has one name for both orders
            script(("conv2d", ["x", "w"], (2, 5, 6, 6)), x=(2, 3, 8, 8), w=(5, 3, 3, 3)),
            {"x": FIRST, "w": "to from row column", "conv2d": FIRST},
        ),
        (script(("conv", ["x", "w"], (2, 5, 6)), x=(2, 3, 8), w=(5, 3, 3)), {}),
        (
            script(
                ("softmax", ["x"], (2, 4, 9, 9)),
                ("matmul", ["softmax", "v"], (2, 4, 9, 6)),
                x=(2, 4, 9, 9),
                v=(2, 4, 9, 6),
            ),
            {"x": "batch head query key", "softmax": "batch head query key"},
        ),
        (
            script(("softmax", ["x"], (4, 9, 9)), ("matmul", ["softmax", "v"], (4, 9, 6)), x=(4, 9, 9), v=(4, 9, 6)),
            {"x": " query key", "softmax": " query key"},
        ),
        # a layer's probabilities are no attention
        (script(("softmax", ["x"], (4, 9)), ("log", ["softmax"], (4, 9)), x=(4, 9)), {}),
        (script(("softmax", ["x"], (4, 9)), ("matmul", ["softmax", "v"], (4, 6)), x=(4, 9), v=(9, 6)), {}),
    ],
)
def test_axes_have_names_where_they_are_known(log: Script, found: dict[str, str]) -> None:
    assert names(log) == found
