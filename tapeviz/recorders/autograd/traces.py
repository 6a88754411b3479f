"""Each function that autograd differentiates -> a tape: what it follows, and what comes of it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from autograd import core
from autograd.tracer import isbox

from tapeviz.events.program.frames import is_library
from tapeviz.events.raw import Mentioned, next_id
from tapeviz.events.types import GradientUnseen, TapeClosed, TapeOpened, Watched
from tapeviz.recorders.autograd.nodes import LoggedNode, logged
from tapeviz.recorders.autograd.ops import Ops
from tapeviz.recorders.autograd.session import Session
from tapeviz.recorders.autograd.sweeps import Sweeps
from tapeviz.recorders.autograd.trees import Tree, ids_in, mapped, paired
from tapeviz.recorders.autograd.values import kept
from tapeviz.recorders.naming import give_name
from tapeviz.recorders.patches import Row
from tapeviz.recorders.runs import LoggedRun

FORWARD_MODE = "in forward mode, which keeps no tape"
"""Why a gradient is not seen."""


class Traces:
    """Hooks at the function by which autograd follows another one, on behalf of all that it differentiates by."""

    def __init__(self, session: Session, ops: Ops, sweeps: Sweeps) -> None:
        self._session = session
        self._log = session.log
        self._ops = ops
        self._sweeps = sweeps
        self._open = 0

    def rows(self) -> list[Row]:
        """The function as it stands in the module that uses it."""
        return [self._session.here.instead(core, "trace", self._trace)]

    def _trace(self, trace: Any, start: Any, fun: Any, x: Any) -> Any:
        session = self._session
        if not isinstance(start, core.VJPNode):
            session.note(GradientUnseen, attrs=FORWARD_MODE)
            with session.failing():
                return trace(start, fun, x)
        function, parameter = _differentiated(fun)
        tape = next_id()
        session.log.sign("autograd")
        session.note(TapeOpened, (tape, True, False))
        tree = self._follow(tape, x, parameter)
        start.vjp = LoggedNode(self._sweeps.pulled, start.vjp, tree, tape)
        targets: list[int] = []
        with self._opened(tape), session.failing():
            value, end = trace(start, fun, x)
            if end is None:
                frame = session.enter()
                targets = ids_in(mapped(value, lambda each, path: self._result(each, frame)))
        if end is None:
            self._note_unconnected(tape, tree, targets, function)
        elif isinstance(end.vjp, LoggedNode):
            self._name(end.vjp.tree, value, function)
        return value, end

    @contextmanager
    def _opened(self, tape: int) -> Iterator[None]:
        self._open += 1
        try:
            yield
        finally:
            self._log.append(TapeClosed, (tape,))
            self._open -= 1
            if not self._open:
                self._session.ledger.forget_constants()

    def _follow(self, tape: int, x: Any, parameter: Any) -> Tree:
        """Log the arrays of an argument, which the tape follows; one that an outer trace follows is in the log."""
        known = logged(x) if isbox(x) else None
        code, lasti, scope = self._session.place(1)

        def follow(value: Any, path: str) -> Tree:
            inner = logged(value) if isbox(value) else None
            if inner is not None:
                return inner.tree
            raw = next_id()
            about = ("variable", True, _name_at(parameter, path))
            self._log.append(Mentioned, None, raw, kept(self._log, value), about, code, lasti, scope)
            self._session.ledger.note(value, raw)
            return raw

        tree = known.tree if known is not None else mapped(x, follow)
        for raw in ids_in(tree):
            self._log.append(Watched, (tape,), raw, None, "explicit", code, lasti)
        return tree

    def _name(self, tree: Tree, value: Any, function: str) -> None:
        """What a function gives is called like the function, where no line gives it a name."""
        for raw, each in paired(tree, value):
            if function and isinstance(tree, int):
                give_name(self._log, raw, function)
            if not isbox(each):
                self._session.ledger.note(each, raw)

    def _note_unconnected(self, tape: int, tree: Tree, targets: list[int], function: str) -> None:
        """Nothing leads from the argument to the result: autograd warns, and gives zeros without a pass."""
        if function and len(targets) == 1:
            give_name(self._log, targets[0], function)
        run, sources = LoggedRun(self._log, tape), ids_in(tree)
        run.begin(tuple(targets), tuple(sources), (True,) * len(targets), self._session.place(1))
        run.end((None,) * len(sources), (None,) * len(sources))

    def _result(self, value: Any, frame: Any) -> int:
        inner = logged(value) if isbox(value) else None
        return inner.ids[0] if inner is not None else self._ops.constant(value, frame)


def _differentiated(fun: Any) -> tuple[str, Any]:
    """Of the function of one argument that autograd makes of the program's: that one's name, and its parameter's.

    The parameter is a name, or the names of several that are differentiated together.
    """
    cells = inspect.getclosurevars(fun).nonlocals if inspect.isfunction(fun) else {}
    own, argnum = cells.get("fun"), cells.get("argnum")
    code = getattr(own, "__code__", None)
    if own is None or code is None or is_library(code.co_filename):
        return "", None
    names = code.co_varnames[: code.co_argcount]
    if inspect.ismethod(own):
        names = names[1:]

    def at(index: Any) -> str | None:
        return names[index] if isinstance(index, int) and -len(names) <= index < len(names) else None

    name = "" if own.__name__ == "<lambda>" else own.__name__
    return name, tuple(map(at, argnum)) if isinstance(argnum, (tuple, list)) else at(argnum)


def _name_at(parameter: Any, path: str) -> str | None:
    """What an array is called at a path in the argument of a parameter, or in those of several."""
    if isinstance(parameter, tuple):
        index, _, rest = path[1:].partition("]")
        parameter, path = parameter[int(index)], rest
    return None if parameter is None else parameter + path
