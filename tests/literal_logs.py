"""Raw records, written by hand -> a log that readers can be tested on without any engine.

log = Script()
x = log.variable("x", 3.0)
with log.tape() as tape:
    y = log.op("mul", x, x, value=9.0, saved=(0, 1))
log.backward(tape, y, [x], steps=[(y, [3.0, 3.0])])
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any

import numpy as np

from tapeviz.events import (
    BackwardFinished,
    BackwardStarted,
    CotangentAccumulated,
    EventLog,
    LeafCreated,
    ReadOut,
    StateWritten,
    TapeClosed,
    TapeOpened,
    TapeReset,
    VjpApplied,
    Watched,
)


class Script(EventLog):
    """A log with one method per thing that can happen; every method returns the raw id of what it made."""

    def __init__(self) -> None:
        super().__init__()
        self._new = count(1)
        self._open: list[int] = []
        self._producers: dict[int, tuple[int, ...]] = {}

    def dense(self, raw_id: int) -> int:
        """The tensor id that readers see."""
        dense = self._read().tensors.dense(raw_id)
        assert dense is not None
        return dense

    def position_of_run(self, run: int) -> int:
        """Where a run started."""
        return list(self.of_kind(BackwardStarted))[run]

    # ----- leaves -----

    def variable(self, name: str | None, value: Any = 1.0, *, trainable: bool = True) -> int:
        return self._leaf("variable", name, value, trainable)

    def constant(self, name: str | None, value: Any = 1.0, *, parents: tuple[int, ...] = ()) -> int:
        return self._leaf("constant", name, value, False, parents)

    def _leaf(self, kind: str, name: str | None, value: Any, trainable: bool, parents: tuple[int, ...] = ()) -> int:
        new = next(self._new)
        self.append(LeafCreated, parents, new, _array(value), (kind, trainable, name))
        if kind == "variable":
            for tape in self._open:
                self.watch(tape, new, "accessed")
        return new

    # ----- the life of a tape -----

    @contextmanager
    def tape(self, *, persistent: bool = False, watch: Sequence[int] = ()) -> Iterator[int]:
        """An open tape; `watch` are the tensors that it watches from the start."""
        tape = next(self._new)
        self.append(TapeOpened, (tape, persistent, True))
        self._open.append(tape)
        for tensor in watch:
            self.watch(tape, tensor)
        yield tape
        self._open.remove(tape)
        self.append(TapeClosed, (tape,))

    def reopen(self, tape: int) -> None:
        """Enter a tape again, and leave it open."""
        self.append(TapeOpened, (tape, False, True))
        self._open.append(tape)

    def watch(self, tape: int, tensor: int, how: str = "explicit") -> None:
        self.append(Watched, (tape,), tensor, None, how)

    def reset(self, tape: int) -> None:
        self.append(TapeReset, (tape,))

    # ----- ops, and what goes past the tape -----

    def op(
        self,
        name: str,
        *inputs: Any,
        value: Any = 1.0,
        outputs: int = 1,
        saved: Sequence[int] = (),
        attrs: Sequence[tuple[str, Any]] = (),
        recorded: bool = True,
    ) -> Any:
        """An op on tensors (ints) and literals (floats); with several outputs, a tuple of them."""
        made = tuple(next(self._new) for _ in range(outputs))
        entries = tuple(each if type(each) is int else np.float32(each) for each in inputs)
        tapes = tuple(self._open) if recorded else ()
        out, val = (made[0], _array(value)) if outputs == 1 else (made, tuple(map(_array, value)))
        self.raw += (name, entries, out, val, tuple(attrs), tuple(saved), tapes, None, None, -1)
        self._producers.update(dict.fromkeys(made, made))
        return out

    def read_out(self, tensor: int, how: str = ".numpy()") -> None:
        self.append(ReadOut, None, tensor, None, how)

    def assign(self, variable: int, value: int | None, new: Any = 1.0, how: str = "assign") -> None:
        self.append(StateWritten, value, variable, _array(new), how)

    # ----- the backward pass -----

    def backward(
        self,
        tape: int,
        target: int,
        sources: Sequence[int],
        *,
        steps: Sequence[tuple[int, Sequence[Any]]] = (),
        sums: dict[int, Sequence[Any]] | None = None,
        missing: Sequence[int] = (),
    ) -> None:
        """One run. A step is (an output of the op, its cotangents); `sums`: tensor -> the totals after each arrival
        but the first; `missing`: the sources that get None."""
        run = next(self._new)
        arrived: dict[int, int] = {target: 1}
        totals = {tensor: iter(values) for tensor, values in (sums or {}).items()}
        self.append(BackwardStarted, (run, tape, None, None), ((target,), tuple(sources)), (np.float32(1.0),), (None,))
        inputs_of = {start: self.raw[start + 1] for start in range(0, len(self.raw), 10)}
        of_output = {self.raw[start + 2]: inputs for start, inputs in inputs_of.items() if type(self.raw[start]) is str}
        for output, cotangents in steps:
            made = self._producers[output]
            key = made if len(made) > 1 else made[0]
            values = tuple(None if each is None else _array(each) for each in cotangents)
            self.append(VjpApplied, run, key, values, None)
            for tensor, value in zip(of_output[key], values, strict=True):
                if value is None or type(tensor) is not int:
                    continue
                arrived[tensor] = arrived.get(tensor, 0) + 1
                if arrived[tensor] > 1:
                    self.append(CotangentAccumulated, run, tensor, _array(next(totals[tensor])), None)
        ids = tuple(None if source in missing else next(self._new) for source in sources)
        self.append(BackwardFinished, run, ids, tuple(None if each is None else np.float32(0) for each in ids))


def _array(value: Any) -> Any:
    """A value as a log holds it; a tuple is the shape and the dtype of one that was not kept."""
    if type(value) is tuple:
        return value
    array = np.asarray(value, np.float32) if np.asarray(value).dtype.kind == "f" else np.asarray(value)
    return array if array.ndim else array[()]
