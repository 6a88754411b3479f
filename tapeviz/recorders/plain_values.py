"""An attribute as TensorFlow or JAX has it -> the plain value that a log may hold."""

from __future__ import annotations

from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Numbers, texts and tuples of them.

    >>> plain(np.array([1, 2])), plain(b"SAME")
    ((1, 2), 'SAME')
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, (np.ndarray, np.generic)):
        return _plain_array(value.tolist())
    if isinstance(value, (list, tuple)):
        return tuple(plain(each) for each in value)
    name = getattr(value, "name", None)
    return name if isinstance(name, str) else str(value)


def _plain_array(value: Any) -> Any:
    return tuple(_plain_array(each) for each in value) if isinstance(value, list) else plain(value)
