"""A dtype or a shape -> how TensorFlow's errors write it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tapeviz.engine.specs.dtypes import of_numpy

SPELLED = {"float16": "half", "float32": "float", "float64": "double"}
"""The names of dtypes in errors of TensorFlow's kernels that differ from the usual ones."""


def spelled(dtype: np.dtype[Any]) -> str:
    """The name of a dtype in errors of TensorFlow's kernels."""
    name = of_numpy(dtype).name
    return SPELLED.get(name, name)


def listed(shape: Iterable[Any]) -> str:
    """A shape, or another list of integers, as TensorFlow's kernels write it; None is `?`.

    >>> listed((2, None, 3))
    '[2,?,3]'
    """
    return f"[{','.join('?' if n is None else str(n) for n in shape)}]"


_WRITTEN_IN_PYTHON = 1 << 9
"""The flag of classes that are made as a program runs (`Py_TPFLAGS_HEAPTYPE`)."""


def class_name(kind: type) -> str:
    """The name of a class as Python's own errors have it: of one that is written in C with its module.

    >>> class_name(int), class_name(type(np.float32(1)))
    ('int', 'numpy.float32')
    """
    name = kind.__name__
    return name if kind.__flags__ & _WRITTEN_IN_PYTHON else f"{kind.__module__}.{name}".removeprefix("builtins.")
