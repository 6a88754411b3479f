"""A Python function that must not be called in a dry run -> tensors in place of its results."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from tapeviz.engine.specs.dtypes import DType
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.tf.tracing.dry_run import is_dry_run
from tapeviz.tf.tracing.spec_values import of_spec

rank_of_results: ContextVar[int | None] = ContextVar("tapeviz.dry_run.rank", default=None)
"""The rank of these tensors in this dry run, if one is chosen."""
length_of_results: ContextVar[int] = ContextVar("tapeviz.dry_run.length", default=4)
"""The length of their axes."""


class OpenRank(Exception):
    """A dry run has reached a Python function that must not be called, and whose results may have any rank."""


def stand_ins(dtypes: Sequence[DType]) -> list[Any] | None:
    """In a dry run, tensors in place of the results of a Python function, which may have side effects; otherwise None.

    Raises:
        OpenRank: no rank is chosen for them yet.
    """
    if not is_dry_run.get():
        return None
    rank = rank_of_results.get()
    if rank is None:
        raise OpenRank
    return [of_spec(TensorSpec([None] * rank, dtype), length_of_results.get(), np.ones) for dtype in dtypes]
