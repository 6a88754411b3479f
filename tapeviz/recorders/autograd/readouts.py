"""A value leaves autograd's boxes for NumPy or Python -> its record.

autograd has functions that it gives no derivative, such as `np.round`: they take what is in a box, and what they give
is a plain array. So is what a program takes out of a box itself, by `getval` or `._value`.
"""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from typing import Any

import autograd
from autograd import core, tracer

from tapeviz.events.program.frames import is_library
from tapeviz.events.types import TRUTH, ReadOut
from tapeviz.recorders.autograd.nodes import LoggedNode, logged
from tapeviz.recorders.autograd.session import Session
from tapeviz.recorders.patches import Row, Wrapped, replaced

FOLDER = os.path.dirname(autograd.__file__)
MEASURES = frozenset(
    ("ndim", "shape", "size", "isscalar", "zeros_like", "ones_like", "iscomplexobj", "iscomplex", "isreal", "metadata")
)
"""Functions that read no element, or of which no number comes that a derivative is missed of."""


class NoDerivatives(set[Any]):
    """The functions that a trace does not follow; it tells of each of these that is called with a box."""

    def __init__(self, own: set[Any], readouts: ReadOuts) -> None:
        super().__init__(own)
        self._readouts = readouts

    def __contains__(self, fun: object) -> bool:
        found = super().__contains__(fun)
        if found:
            self._readouts.note_call(fun, sys._getframe(1).f_locals.get("boxed_args", ()))
        return found


class BoxedValue:
    """The slot of a box's value, which tells of each read by the program itself."""

    def __init__(self, slot: Any, readouts: ReadOuts) -> None:
        self._slot = slot
        self._readouts = readouts

    def __get__(self, box: Any, owner: Any = None) -> Any:
        if box is None:
            return self
        value = self._slot.__get__(box)
        self._readouts.read(box, sys._getframe(1))
        return value

    def __set__(self, box: Any, value: Any) -> None:
        self._slot.__set__(box, value)


class ReadOuts:
    """Records what leaves the boxes of traces that are recorded."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._getval = tracer.getval.__code__

    def rows(self) -> list[Row]:
        """The list of functions without derivatives, the truth of a box, and the value in it."""
        before = tracer.notrace_primitives
        ours = defaultdict(set, before)
        ours[core.VJPNode] = NoDerivatives(before[core.VJPNode], self)
        return [
            replaced(tracer, "notrace_primitives", ours),
            self._session.here.before(tracer.Box, "__bool__", lambda box: self._note(box, TRUTH)),
            Wrapped(tracer.Box, "_value", lambda slot: BoxedValue(slot, self)),
        ]

    def note_call(self, fun: Any, boxes: Any) -> None:
        """A function that autograd gives no derivative is called with boxes, each with the number of its argument."""
        name = str(getattr(fun, "__name__", fun))
        if name in MEASURES or not self._session.is_here:
            return
        for _, box in boxes:
            self._note(box, f"np.{name}()")

    def read(self, box: Any, frame: Any) -> None:
        """The value of a box is read in a frame."""
        code, how = frame.f_code, "._value"
        while code is self._getval and frame.f_back is not None:
            frame, how = frame.f_back, "getval()"
            code = frame.f_code
        if code.co_filename.startswith(FOLDER) or is_library(code.co_filename) or not self._session.is_here:
            return
        self._note(box, how)

    def _note(self, box: Any, how: str) -> None:
        node: LoggedNode | None = logged(box)
        if node is not None and isinstance(node.tree, int):
            self._session.note(ReadOut, None, node.tree, None, how)
