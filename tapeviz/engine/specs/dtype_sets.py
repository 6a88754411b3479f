"""Dtypes that ops take together, as sets of NumPy's: `FLOATS`, `INTEGERS | TRUTH`."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tapeviz.engine.specs.dtypes import BY_NAME

Dtypes: TypeAlias = frozenset[np.dtype[Any]]


def dtypes(names: str) -> Dtypes:
    """The set of some dtypes.

    >>> sorted(map(str, dtypes("int32 float32")))
    ['float32', 'int32']
    """
    return frozenset(BY_NAME[name] for name in names.split())


HALF, BRAIN, DOUBLES, COMPLEX = map(dtypes, ("float16", "bfloat16", "float32 float64", "complex64 complex128"))
SMALL, WIDE, UNSIGNED = map(dtypes, ("int8 int16", "int32 int64", "uint8 uint16 uint32 uint64"))
TRUTH, TEXT = map(dtypes, ("bool", "string"))

FLOATS = DOUBLES | HALF | BRAIN
INEXACT = FLOATS | COMPLEX
SOLVABLE = INEXACT - BRAIN
INTEGERS = SMALL | WIDE | UNSIGNED
REALS = INTEGERS | FLOATS
NUMBERS = REALS | COMPLEX
SIGNED = NUMBERS - UNSIGNED
EVERY = NUMBERS | TRUTH | TEXT
NONE = dtypes("")
