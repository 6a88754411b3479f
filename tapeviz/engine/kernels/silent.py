"""NumPy's functions that warn of NaN and infinity in NumPy's own name -> the same, as silent as TensorFlow.

What a ufunc warns of bears the name of the module that called it, and the package has the engine's modules filtered.
Functions that NumPy writes in Python call ufuncs themselves; a filter on NumPy's modules would silence the user's, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

einsum = np.errstate(all="ignore")(np.einsum)
pinv = np.errstate(all="ignore")(np.linalg.pinv)
fftn = np.errstate(all="ignore")(np.fft.fftn)
ifftn = np.errstate(all="ignore")(np.fft.ifftn)


@np.errstate(all="ignore")
def det(x: Any) -> Any:
    """The determinants of matrices, NaN where they hold one."""
    return _lost(x, np.linalg.det(x))


@np.errstate(all="ignore")
def slogdet(x: Any) -> tuple[Any, Any]:
    """The signs of the determinants of matrices, and the logarithms of their sizes; both NaN where one is."""
    sign, found = np.linalg.slogdet(x)
    size = _lost(x, found)
    return np.where(np.isnan(size), size, sign), size


def _lost(x: Any, found: Any) -> Any:
    """NaN for a matrix with one: LAPACK takes a NaN that it meets as a pivot for a 0."""
    return np.where(np.isnan(x).any(axis=(-2, -1)), found.dtype.type(np.nan), found)[()]
