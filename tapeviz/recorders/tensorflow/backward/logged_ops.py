"""An op that TensorFlow's tape recorded -> the key by which its gradient function finds it again in the log.

The tape hands the gradient function the very tuple of attributes that the op ran with, and keeps it alive till then.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tapeviz.recorders.tensorflow.names import Form


class LoggedOp(NamedTuple):
    """One op of the log: what its record has for inputs, the ids of its outputs, and how it is written."""

    inputs: tuple[Any, ...]
    outputs: tuple[int, ...]
    form: Form


class LoggedOps:
    """The ops that a gradient may come back to, each by the identity of an object that is kept for as long."""

    def __init__(self) -> None:
        self._ops: dict[int, LoggedOp] = {}
        self._keys: list[Any] = []

    def add(self, key: Any, op: LoggedOp) -> None:
        """Remember an op by an object that comes back with its gradient; the empty tuple is everybody's."""
        if key != ():
            self._ops[id(key)] = op
            self._keys.append(key)

    def op_of(self, key: Any) -> LoggedOp | None:
        """The op that ran with this object."""
        return self._ops.get(id(key))

    def clear(self) -> None:
        """No tape is left that has recorded anything."""
        self._ops.clear()
        self._keys.clear()
