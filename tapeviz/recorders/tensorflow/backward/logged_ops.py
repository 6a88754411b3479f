"""An op that TensorFlow's tape recorded -> the key by which its gradient function finds it again in the log.

The tape hands the gradient function the very tuple of attributes that the op ran with, and keeps it alive till then.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tapeviz.recorders.tensorflow.names import Form


class LoggedOp(NamedTuple):
    """One op of the log: its inputs, as in its record, the ids of its outputs, and the form of its record."""

    inputs: tuple[Any, ...]
    outputs: tuple[int, ...]
    form: Form


class LoggedOps:
    """The ops whose gradient may be computed, each by the identity of an object that is kept alive meanwhile."""

    def __init__(self) -> None:
        self._ops: dict[int, LoggedOp] = {}
        self._keys: list[Any] = []

    def add(self, key: Any, op: LoggedOp) -> None:
        """Remember an op by an object that its gradient function will get; all empty tuples are the same object."""
        if key != ():
            self._ops[id(key)] = op
            self._keys.append(key)

    def op_of(self, key: Any) -> LoggedOp | None:
        """The op that ran with this object."""
        return self._ops.get(id(key))

    def clear(self) -> None:
        """Forget all ops, since no tape is left that has recorded any."""
        self._ops.clear()
        self._keys.clear()
