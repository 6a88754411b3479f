"""Updates that do not fit into a variable are refused where TensorFlow does, and those that fit are taken."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeviz

tf = pytest.importorskip("tensorflow")

Shapes = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]

IN_PLACE: list[Shapes] = [
    *[((3, 2), (1, 1), each) for each in ((1,), (1, 3), (2,), (1, 2), (1, 2, 1))],
    *[((3, 2), (2, 1), each) for each in ((1, 2), (2,), (2, 2), (0, 2))],
    *[((3, 2), (2, 1, 1), each) for each in ((2, 2), (2, 3, 2), (2, 1, 2), (2,))],
    *[((3, 2), (2, 1, 2), each) for each in ((2,), (1, 2), (2, 1))],
    *[((3, 2), (0, 1), each) for each in ((0, 2), (1, 2))],
    *[((3, 2), (2, 0), each) for each in ((0, 3, 2), (2, 3, 2))],
    *[((3, 2), (1, 3), (1,)), ((4,), (1, 2), (1,)), ((4,), (3,), (2,)), ((4,), (2,), (2,)), ((), (1, 1), (1,))],
    *[((0, 2), (1, 1), (1, 2)), ((0,), (1, 1), (0,)), ((2, 2, 2), (1, 2), (1, 3)), ((2, 2, 2), (1, 1, 2), (1, 2))],
]
ROWS: list[Shapes] = [
    *[((4,), (1,), each) for each in ((2,), (1,), ())],
    *[((3, 2), (1,), each) for each in ((2,), (1, 2, 1), (1, 2))],
    *[((3, 2), (2,), (1, 2)), ((3, 2), (1, 2), (2, 2)), ((3, 2), (1, 2), (1, 2, 2)), ((), (1,), (1,))],
]


@pytest.mark.parametrize("shapes", IN_PLACE, ids=str)
@pytest.mark.parametrize("method", ["scatter_nd_update", "scatter_nd_add"])
def test_in_place(method: str, shapes: Shapes) -> None:
    shape, indices, updates = shapes

    def scatter(library: Any) -> Any:
        variable = library.Variable(library.zeros(shape))
        return getattr(variable, method)(library.zeros(indices, library.int32), library.ones(updates))

    assert_same(scatter)


@pytest.mark.parametrize("shapes", ROWS, ids=str)
@pytest.mark.parametrize("method", ["scatter_update", "scatter_sub"])
def test_rows(method: str, shapes: Shapes) -> None:
    shape, indices, updates = shapes

    def scatter(library: Any) -> Any:
        slices = library.IndexedSlices(library.ones(updates), library.zeros(indices, library.int32))
        return getattr(library.Variable(library.zeros(shape)), method)(slices)

    assert_same(scatter)


def assert_same(scatter: Any) -> None:
    try:
        theirs = scatter(tf)
    except tf.errors.InvalidArgumentError:
        with pytest.raises(tapeviz.errors.InvalidArgumentError, match=r"^Indices of shape .* wanted\. In scatter_"):
            scatter(tapeviz)
    else:
        np.testing.assert_array_equal(scatter(tapeviz).numpy(), theirs.numpy())
