"""Which products of matrices are computed in tiles, and that they are those of NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from tapeviz.engine.kernels import tiles
from tapeviz.engine.kernels.matmul import product
from tapeviz.engine.kernels.openblas import UNPACKED
from tapeviz.engine.kernels.tiles import fitting_tile, tile_of
from tests.engine.kernels.test_matmul import LAYOUTS, matrices

TILES = {
    # rows, length, columns, transposed, transposed -> rows and columns of a tile
    (64, 784, 256, False, False): (16, 64),
    (784, 64, 256, True, False): (196, 64),
    (64, 256, 256, False, True): (16, 64),
    (96, 32, 1024, False, False): (96, 64),
    (128, 50, 250, False, False): (64, 250),
    (50, 784, 256, False, False): None,  # no four rows at a time
    (64, 784, 250, False, False): None,  # too few rows of so many columns
    (128, 2000, 64, False, False): None,  # seven rows are too many multiplications
    (64, 784, 256, True, False): None,
    (64, 256, 256, True, True): None,
    (260, 256, 256, False, True): None,
    (64, 192, 512, False, True): None,
    (64, 512, 80, False, True): None,
}


@pytest.mark.parametrize("lengths", TILES)
def test_tiles(lengths: tuple[int, int, int, bool, bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """They are as large as is multiplied unpacked, and nothing is left over."""
    rows, length, columns, *transposed = lengths
    tile = fitting_tile(*lengths)
    assert tile == TILES[lengths]
    if tile is not None:
        assert tile[0] * tile[1] * length <= UNPACKED
        assert (rows % tile[0], columns % tile[1]) == (0, 0)
    operands = matrices(rows, length, columns, "float32")
    x, y = [np.asfortranarray(each) if on else each for each, on in zip(operands, transposed, strict=True)]
    for unpacked in (False, True):
        monkeypatch.setattr(tiles, "multiplies_unpacked", lambda unpacked=unpacked: unpacked)
        assert tile_of(x, y) == (tile if unpacked else None)
        both = product(x, y)
        np.testing.assert_array_equal(both, x @ y, strict=True)
        assert both.flags.c_contiguous


def test_only_contiguous_matrices_of_float32_are_multiplied_in_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiles, "multiplies_unpacked", lambda: True)
    x, y = matrices(64, 784, 256, "float32")
    assert tile_of(x, y)
    assert not tile_of(x, LAYOUTS["with gaps"](y))
    assert not tile_of(LAYOUTS["with gaps"](x), y)
    assert not tile_of(x.astype("float64"), y.astype("float64"))
