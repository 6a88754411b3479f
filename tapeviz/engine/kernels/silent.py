"""Functions of NumPy's that are written in Python -> the same without warnings about NaN and infinity.

A ufunc's warning bears the name of the module that called it, and `tapeviz` filters those of the engine's modules.
These functions call ufuncs in modules of NumPy's own; a filter on those would silence the user's warnings as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.specs.dtypes import Array

einsum = np.errstate(all="ignore")(np.einsum)
pinv = np.errstate(all="ignore")(np.linalg.pinv)
fftn = np.errstate(all="ignore")(np.fft.fftn)
ifftn = np.errstate(all="ignore")(np.fft.ifftn)


@np.errstate(all="ignore")
def det(x: Array) -> Any:
    """The determinants of matrices, NaN for those that contain NaN."""
    return _lost(x, np.linalg.det(x))


@np.errstate(all="ignore")
def slogdet(x: Array) -> tuple[Any, Any]:
    """The signs of determinants, and the logarithms of their sizes; both are NaN for matrices that contain NaN."""
    sign, found = np.linalg.slogdet(x)
    size = _lost(x, found)
    return np.where(np.isnan(size), size, sign), size


def _lost(x: Array, found: Array) -> Any:
    """NaN for a matrix that contains NaN, as LAPACK takes a NaN as the pivot for 0."""
    return np.where(np.isnan(x).any(axis=(-2, -1)), found.dtype.type(np.nan), found)[()]
