"""Products of matrices that go another way than NumPy's `@` give what it gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import tapeviz as tf
from tapeviz.engine.kernels import matmul, tiles
from tapeviz.engine.kernels.matmul import (
    ENOUGH_COLUMNS,
    ENOUGH_ROWS,
    FEW_ROWS,
    IN_CACHE,
    TIMES_LONGER,
    WIDE,
    packs_slowly,
    reads_slowly,
    times_transposed,
    transposed_times,
    turned_round,
)
from tapeviz.engine.kernels.openblas import UNPACKED
from tapeviz.engine.ops import OPS

LONG = FEW_ROWS * TIMES_LONGER
LONGEST = IN_CACHE // ENOUGH_COLUMNS
MOST_ROWS = UNPACKED // (LONGEST * ENOUGH_COLUMNS)
READ_SLOWLY = (ENOUGH_ROWS, 64, ENOUGH_COLUMNS), (ENOUGH_ROWS, LONGEST, ENOUGH_COLUMNS)
LENGTHS = (
    *READ_SLOWLY,
    *((ENOUGH_ROWS - 1, 64, ENOUGH_COLUMNS), (ENOUGH_ROWS, 64, ENOUGH_COLUMNS - 1)),
    *((ENOUGH_ROWS, LONGEST + 1, ENOUGH_COLUMNS), (MOST_ROWS + 1, LONGEST, ENOUGH_COLUMNS)),
    *((FEW_ROWS, LONG, WIDE), (FEW_ROWS + 1, LONG, WIDE), (FEW_ROWS, LONG - 1, WIDE), (FEW_ROWS, LONG, WIDE - 1)),
    *((2, LONG, 3_000), (3, 4, 5), (100, 9, 50), (0, 8, 3), (3, 0, 4), (3, 4, 0)),
)
"""Rows, their length, and columns: on both sides of every bound."""
LAYOUTS = {
    "as it is": np.ascontiguousarray,
    "transposed": np.asfortranarray,
    "with gaps": lambda x: x.repeat(2, 1)[:, ::2],
}


WAYS = {"as a whole": False, "in tiles": True}
"""What OpenBLAS can do."""


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which matrices are multiplied in this way."""
    monkeypatch.setattr(tiles, "multiplies_unpacked", lambda: WAYS[request.param])


def corners(test: Callable[..., None]) -> Callable[..., None]:
    """Beside what is drawn: every bound from both sides, with matrices that are packed as they are and turned round."""
    for lengths in LENGTHS:
        for right in ("as it is", "transposed"):
            test = example(lengths, "float32", "as it is", right)(test)
    return test


def matrices(rows: int, length: int, columns: int, dtype: str) -> tuple[Any, Any]:
    random = np.random.default_rng(0)  # of products of whole numbers the sums are exact
    return tuple(random.integers(-3, 4, shape).astype(dtype) for shape in ((rows, length), (length, columns)))


@pytest.mark.usefixtures("way")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=4 * settings.default.max_examples)
@given(
    st.sampled_from(LENGTHS) | st.tuples(*[st.integers(0, 2 * ENOUGH_ROWS)] * 3),
    st.sampled_from(["float32", "float64", "int32", "complex64"]),
    st.sampled_from([*LAYOUTS]),
    st.sampled_from([*LAYOUTS]),
)
@corners
def test_products_are_those_of_numpy(lengths: tuple[int, int, int], dtype: str, left: str, right: str) -> None:
    x, y = matrices(*lengths, dtype)
    product = OPS["matmul"].primal(LAYOUTS[left](x), LAYOUTS[right](y))
    np.testing.assert_array_equal(product, x @ y, strict=True)
    assert product.flags.c_contiguous
    np.testing.assert_array_equal(turned_round(x, y), x @ y, strict=True)
    np.testing.assert_array_equal(times_transposed(x, y.T), x @ y, strict=True)
    np.testing.assert_array_equal(transposed_times(y, x.T), x @ y, strict=True)


def test_products_with_transposed_batches_are_those_of_numpy() -> None:
    x, y = np.arange(12.0).reshape(2, 2, 3), np.arange(24.0).reshape(2, 4, 3)
    np.testing.assert_array_equal(times_transposed(x, y), x @ y.mT, strict=True)
    np.testing.assert_array_equal(transposed_times(y.mT, x.mT), x @ y.mT, strict=True)


@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_only_what_is_packed_slowly_is_turned_round(lengths: tuple[int, int, int], dtype: str) -> None:
    x, y = matrices(*lengths, dtype)
    large = lengths in ((FEW_ROWS, LONG, WIDE), (2, LONG, 3_000))
    found = [packs_slowly(x, layout(y)) for layout in LAYOUTS.values()]
    assert found == [False, large and dtype == "float32", False]


@pytest.mark.parametrize("lengths", LENGTHS)
def test_what_is_read_slowly_is_small_but_not_tiny(lengths: tuple[int, int, int]) -> None:
    x, y = matrices(*lengths, "float32")
    assert reads_slowly(x, y.T) == (lengths in (*READ_SLOWLY, (100, 9, 50)))


def test_a_gradient_by_rows_goes_the_quick_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiles, "multiplies_unpacked", lambda: False)
    turned = []
    monkeypatch.setattr(matmul, "turned_round", lambda x, y: turned.append(x.shape) or turned_round(x, y))
    x, w = (tf.constant(each) for each in matrices(FEW_ROWS, WIDE, LONG, "float32"))
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = x @ w
    by_x, by_w = tape.gradient(y, [x, w])
    ones = np.ones(y.shape, np.float32)
    np.testing.assert_array_equal(by_x, ones @ w.numpy().T)
    np.testing.assert_array_equal(by_w, x.numpy().T @ ones)
    assert turned == [(FEW_ROWS, LONG)]


def test_weights_are_transposed_once_for_products_in_a_row() -> None:
    g, w = np.ones((ENOUGH_ROWS, 64), np.float32), np.arange(64.0 * ENOUGH_COLUMNS, dtype=np.float32).reshape(-1, 64)
    assert reads_slowly(g, w)
    times_transposed(g, w)
    transpose = matmul._last[1]
    np.testing.assert_array_equal(times_transposed(2 * g, w), 2 * g @ w.T)
    assert matmul._last[1] is transpose
    np.testing.assert_array_equal(times_transposed(g, w + 1), g @ (w + 1).T)
    assert matmul._last[1] is not transpose
