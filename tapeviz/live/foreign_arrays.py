"""An array of any framework -> the same numbers as NumPy has them, and the name of its dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.events.values import readable


def is_array(value: Any) -> bool:
    """Whether something is an array of NumPy's or of a framework's.

    >>> is_array(np.zeros(3)), is_array(np.float32(1.0)), is_array([1.0]), is_array(abs)
    (True, True, False, False)
    """
    return hasattr(value, "shape") and hasattr(value, "dtype") and not isinstance(value, type)


def array_and_dtype(value: Any) -> tuple[np.ndarray[Any, Any], str]:
    """The numbers of an array, those of bfloat16 and other dtypes that NumPy has not as float32; its own dtype's name.

    >>> array_and_dtype(np.float32([1.0, 2.0]))
    (array([1., 2.], dtype=float32), 'float32')
    """
    dtype = str(getattr(getattr(value, "dtype", None), "name", None) or getattr(value, "dtype", "float64"))
    dtype = dtype.removeprefix("torch.").removeprefix("dtypes.")
    if hasattr(value, "detach") and hasattr(value, "cpu"):  # PyTorch's: from its device, without its graph
        value = value.detach().cpu()
        value = value.to_dense() if value.is_sparse else value
        value = value.float() if "bfloat" in dtype or "float8" in dtype else value
    elif hasattr(value, "indices") and hasattr(value, "dense_shape"):  # slices of a sparse gradient
        return _dense(value), dtype
    return np.asarray(readable(np.asarray(value))), dtype


def _dense(slices: Any) -> np.ndarray[Any, Any]:
    values, _ = array_and_dtype(slices.values)
    found = np.zeros(tuple(int(each) for each in np.asarray(slices.dense_shape)), values.dtype)
    np.add.at(found, np.asarray(slices.indices), values)
    return found


def package_of(value: Any) -> str:
    """What the framework of an array is imported as; "" for NumPy's, which any framework's may have become.

    >>> package_of(np.zeros(3))
    ''
    """
    package = type(value).__module__.partition(".")[0].removesuffix("lib")
    return "" if package == "numpy" else package
