"""A recurrent op over several sequences, the map of its result's zeros -> that of its input's: it keeps them apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeviz.graph import Op

RECURRENT = frozenset({"lstm", "gru", "rnn_tanh", "rnn_relu"})
"""Ops over sequences of which no two meet; within one, each entry may go into all that come later."""


def by_sequence(op: Op, slot: int, operands: Sequence[Any], blame: Any, shape: tuple[int, ...]) -> Any:
    """An entry of the input has the reason of its sequence's results, if all of those are zero."""
    numbers = _numbers_of_sequences(op, operands, shape)
    if slot != 0 or numbers is None or blame.shape[:-1] != numbers.shape:
        return np.zeros(shape, np.int64)
    rows, flat = blame.reshape(numbers.size, -1), numbers.reshape(-1)
    most = np.zeros(flat.max() + 1, np.int64)
    np.maximum.at(most, flat, rows.max(axis=1))
    most[flat[(rows == 0).any(axis=1)]] = 0
    return np.broadcast_to(most[numbers][..., None], shape)


def _numbers_of_sequences(op: Op, operands: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """For each entry of a sequence which of them it belongs to; None where that is not known.

    Packed sequences come step by step, each step without those that have ended, and with the sizes of the steps.
    """
    if any(size == 0 for size in shape):
        return None
    sizes = operands[1] if len(operands) > 1 else None
    if len(shape) == 2 and sizes is not None and sizes.dtype.kind == "i":
        return np.concatenate([np.arange(size) for size in sizes])
    if len(shape) != 3:
        return np.zeros(shape[:-1], np.int64)
    axis = 0 if dict(op.attrs).get("batch_first") else 1
    return np.indices(shape[:-1])[axis]
