"""Ops that run beside the recorded thread -> an op of the log for what this uses of their results.

A tape follows the thread that opened it. Of what others compute the latest is known by what it was computed from, and
is logged, as one op that no tape has recorded, when the recorded thread first meets it.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from threading import get_ident
from typing import Any, NamedTuple

from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import imperative_grad
from tensorflow.python.ops import resource_variable_ops
from tensorflow.python.util import nest

from tapeviz.events.program.frames import asking_frame
from tapeviz.events.program.scope_codes import code_called
from tapeviz.events.raw import ScopeNode
from tapeviz.events.types import GradientUnseen
from tapeviz.phrases import ANOTHER_THREAD
from tapeviz.recorders.hooks import When
from tapeviz.recorders.patches import Row
from tapeviz.recorders.session import recorded
from tapeviz.recorders.tensorflow.session import Session
from tapeviz.recorders.tensorflow.tensor_ids import RecentTensors
from tapeviz.recorders.tensorflow.values import is_eager


class RanElsewhere(NamedTuple):
    """An op: the raw ids of what it read, and the user's code and instruction."""

    read: tuple[int, ...]
    code: Any
    lasti: int


def scope_of_thread(around: ScopeNode | None) -> ScopeNode:
    """The scope of what ran beside the recorded thread, within another."""
    return ScopeNode(around, code_called(ANOTHER_THREAD), None, -1)


class Elsewhere:
    """What ran beside the recorded thread, by the raw ids of its results."""

    def __init__(self) -> None:
        self._ops: RecentTensors[RanElsewhere] = RecentTensors()
        self._variables: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()

    def __contains__(self, raw: int) -> bool:
        return raw in self._ops

    def rows(self, session: Session) -> tuple[Row, ...]:
        """Hooks at gradients, at reads of variables, and at ops that take the slow way; `Reads` is at the fast one.

        That a gradient is taken is told once of each line, unless that thread has a recording of its own.
        """
        beside = When(lambda: not session.is_here)

        def execute(original: Any, *arguments: Any) -> Any:
            return self.ran(arguments, original(*arguments))

        told: set[tuple[Any, int]] = set()

        def take(*arguments: Any, **more: Any) -> None:
            frame = asking_frame(1)
            place = frame.f_code, frame.f_lasti
            if get_ident() != session.thread and recorded.get() is None and place not in told:
                told.add(place)
                session.log.filenames.add(frame.f_code.co_filename)
                session.log.append(GradientUnseen, None, None, None, ANOTHER_THREAD, *place, scope_of_thread(None))

        return (
            beside.before(imperative_grad, "imperative_grad", take),
            beside.after(resource_variable_ops, "variable_accessed", self._accessed),
            beside.instead(pywrap_tfe, "TFE_Py_Execute", execute),
        )

    def ran(self, arguments: Any, results: Any) -> Any:
        """An op gave these results for arguments, which may be variables and, in lists, several tensors."""
        try:
            self._note(arguments, results)
        except Exception as error:
            Session.missed("an op of another thread", error)
        return results

    def _note(self, arguments: Any, results: Any) -> None:
        made = [each for each in nest.flatten(results) if is_eager(each)]
        if not made:
            return
        read: list[int] = []
        for each in nest.flatten(list(arguments)):
            if isinstance(each, resource_variable_ops.BaseResourceVariable):
                self._variables[~each.handle._id] = each
                each = each.handle
            if is_eager(each):
                read.append(~each._id)
        frame = asking_frame(3)
        for each in made:
            self._ops[~each._id] = RanElsewhere(tuple(read), frame.f_code, frame.f_lasti)

    def _accessed(self, variable: Any) -> None:
        """A variable is read, of which an op is given the handle alone."""
        self._variables[~variable.handle._id] = variable

    def origin(self, raw: int) -> tuple[RanElsewhere, list[int]]:
        """The op that made a tensor, and what the recorded thread may know of all that it was computed from."""
        return self._ops[raw], list(dict.fromkeys(self._roots(raw)))

    def _roots(self, raw: int) -> Iterator[int]:
        waiting, seen = [raw], {raw}
        while waiting:
            op = self._ops.get(at := waiting.pop())
            if op is None:
                yield at
                continue
            waiting += [each for each in op.read if each not in seen]
            seen.update(op.read)

    def variable(self, raw: int) -> Any:
        """The variable with a handle of this raw id, if one was read there and the program still has it."""
        return self._variables.get(raw)
