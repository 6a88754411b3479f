"""A step -> whether its upstream gradient is so small that factors which are not zero make zeros of it."""

from __future__ import annotations

import numpy as np

from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.replay import Step

WIDE = (np.dtype(np.float32), np.dtype(np.float64))
"""The types whose least numbers no single step comes near: what is there has shrunk over many."""


def is_spent(call: GradientCall, step: Step) -> bool:
    """Whether all that arrives at a step lies within the last digits above the least number of its type."""
    arrived = [call.numbers.value(each) for each in step.upstream if each is not None]
    return bool(arrived) and all(
        each is not None and each.dtype in WIDE and each.size > 0 and np.abs(each).max() < _limit(each.dtype)
        for each in arrived
    )


def _limit(dtype: np.dtype[np.floating]) -> float:
    known = np.finfo(dtype)
    return float(known.tiny) / float(known.eps)
