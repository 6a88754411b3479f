"""The metrics of a step, as tensors and dicts of them -> numbers by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.tensors.tensor_like import TensorLike

Logs = dict[str, Any]


def numbers(logs: Logs) -> Logs:
    """The logs as numbers, sorted by name; those of a nested dict stand at the place of the dict's name.

    Metrics that are not single numbers, such as a score for each class, become arrays.

    >>> numbers({"loss": np.float32(2.0), "all": {"r": 1}})
    {'r': 1.0, 'loss': 2.0}
    """
    found: Logs = {}
    for name, value in sorted(logs.items()):
        found |= numbers(value) if isinstance(value, dict) else {name: _number(value)}
    return found


def read(logs: Logs) -> Logs:
    """The logs with their values as numbers, in the same structure; the metrics may be reset later.

    >>> read({"loss": np.float32(2.0), "all": {"r": 1}})
    {'loss': 2.0, 'all': {'r': 1.0}}
    """
    return {name: read(value) if isinstance(value, dict) else _number(value) for name, value in logs.items()}


def _number(value: Any) -> Any:
    array = np.asarray(value)
    return array if array.ndim else float(array)


def glanced(logs: Logs) -> Logs:
    """The logs as numbers, without recording that they were read: when a bar is drawn depends on the clock.

    >>> import tapeviz as tf
    >>> glanced({"loss": tf.constant(2.0), "all": {"r": 1}})
    {'r': 1.0, 'loss': 2.0}
    """
    return numbers(nest.map_structure(lambda each: each._value if isinstance(each, TensorLike) else each, logs))
