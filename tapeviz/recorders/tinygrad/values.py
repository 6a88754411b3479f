"""GraphNumbers of a node -> what a log holds of them, or the shape and dtype alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.events.log import EventLog
from tapeviz.recorders.tinygrad.names import dtype_name
from tapeviz.recorders.tinygrad.numbers import GraphNumbers


def kept(log: EventLog, numbers: GraphNumbers, uop: Any, array: Any = None) -> Any:
    """What a record holds of a node, or of an `array` of its dtype that is computed already."""
    spec = tuple(map(int, uop.shape)), dtype_name(uop.dtype)
    if not log.keeps_values:
        return spec
    found = numbers.of(uop) if array is None else array
    if found is None:
        return spec
    return found[()] if not found.shape else log.keep(np.ascontiguousarray(found))
