"""Lists of different lengths -> an array (`tf.keras.preprocessing.sequence`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.tf.names import missing


def pad_sequences(
    sequences: Any,
    maxlen: int | None = None,
    dtype: str = "int32",
    padding: str = "pre",
    truncating: str = "pre",
    value: Any = 0.0,
) -> Any:
    """Sequences of different lengths as the rows of one array.

    Args:
        sequences: a list of lists.
        maxlen: the length of the rows; by default that of the longest sequence.
        dtype: the dtype of the array.
        padding: whether shorter sequences are filled up at their beginning ("pre") or their end ("post").
        truncating: whether longer sequences lose their beginning ("pre") or their end ("post").
        value: what shorter sequences are filled up with.

    Raises:
        ValueError: `sequences` is not a list of lists, their elements have different shapes, or another way to pad or
            truncate.

    >>> pad_sequences([[1], [2, 3]], padding="post").tolist()
    [[1, 0], [2, 3]]
    """
    if not hasattr(sequences, "__len__"):
        raise ValueError("`sequences` must be iterable.")
    for way, ends in (("Padding", padding), ("Truncating", truncating)):
        if ends not in ("pre", "post"):
            raise ValueError(f'{way} type "{ends}" not understood')
    for each in sequences:
        if not hasattr(each, "__len__"):
            raise ValueError(f"`sequences` must be a list of iterables. Found non-iterable: {each}")
    length = max(map(len, sequences), default=0) if maxlen is None else maxlen
    shape = next((np.shape(each)[1:] for each in sequences if len(each)), ())
    if np.dtype(dtype).kind in "iufb" and isinstance(value, str):
        raise ValueError(f"`dtype` {dtype} is not compatible with `value`'s type: {type(value)}")
    rows = np.full((len(sequences), length, *shape), value, dtype)
    for place, each in enumerate(sequences):
        if not len(each):
            continue
        kept = np.asarray(each[-length:] if truncating == "pre" else each[:length], dtype)
        if kept.shape[1:] != shape:
            raise ValueError(
                f"Shape of sample {kept.shape[1:]} of sequence at position {place} is different from expected shape "
                f"{shape}"
            )
        rows[place, slice(0, len(kept)) if padding == "post" else slice(length - len(kept), None)] = kept
    return rows


__all__ = ["pad_sequences"]
__getattr__ = missing(__name__)
