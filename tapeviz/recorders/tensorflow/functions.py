"""Compiled functions -> run op by op, so that every op is seen; the log says so."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any

from tensorflow.python.autograph.impl import api as autograph
from tensorflow.python.eager import context
from tensorflow.python.eager.polymorphic_function import eager_function_run, polymorphic_function
from tensorflow.python.ops import tensor_array_ops
from tensorflow.python.ops.parallel_for import control_flow_ops
from tensorflow.python.util import tf_decorator

from tapeviz.events.program.frames import is_library, open_scopes
from tapeviz.events.types import FunctionOpened
from tapeviz.phrases import BY_XLA, RUN_EAGERLY
from tapeviz.recorders.hooks import ALWAYS, When
from tapeviz.recorders.patches import Row, Wrapped
from tapeviz.recorders.scopes import Scoped
from tapeviz.recorders.tensorflow.session import Session
from tapeviz.recorders.tensorflow.traces import Traces


def own_lines(session: Session) -> list[Row]:
    """A hook by which a function that is given to `tf.map_fn` or the like, where ops run at once, runs from its own
    lines, not from the file that AutoGraph makes of it."""
    return [session.running.instead(autograph, "tf_convert", _convert)]


def _convert(convert: Any, function: Any, *args: Any, **more: Any) -> Any:
    return function if context.executing_eagerly() else convert(function, *args, **more)


class OpenedFunctions:
    """Lets every `tf.function` that is called run eagerly, those of Keras' `fit` and optimizers too.

    TensorFlow's own switch for this warns of `tf.data`, whose functions stay compiled. So do loops that are
    vectorised, as over the rows of a Jacobian: they have no meaning otherwise. A `TensorArray` can be read again, as in
    a graph.
    """

    def __init__(self, session: Session, traces: Traces) -> None:
        self._session = session
        self._traces = traces
        self._announced: set[str] = set()
        self._running = self._vectorising = 0

    def rows(self) -> tuple[Row, ...]:
        """Hooks at all places where TensorFlow decides whether to run ops or to build a graph."""
        opening, function = When(self._opens), polymorphic_function.Function
        return (
            Wrapped(function, "_run_functions_eagerly", self._deciding),
            opening.instead(function, "__call__", self._call),
            ALWAYS.within(control_flow_ops, "pfor", self._vectorised),
            ALWAYS.after(tensor_array_ops._EagerTensorArray, "__init__", self._keep),
        )

    def _opens(self) -> bool:
        return self._session.is_running and not self._vectorising

    def _deciding(self, before: Any) -> Any:
        return property(lambda function: self._opens() or bool(before.fget(function)))

    def _call(self, call: Any, function: Any, *args: Any, **more: Any) -> Any:
        session, name = self._session, name_of(function)
        frame = session.enter()
        if name not in self._announced and not eager_function_run.RUN_FUNCTIONS_EAGERLY:
            self._announced.add(name)
            session.note(FunctionOpened, attrs=name)
        run = partial(self._run, call, function, args, more)
        if "." in name and not function._jit_compile:  # a step of Keras' own is no part of the user's program
            return run()
        return self._in_scope(f"{name}{BY_XLA if function._jit_compile else RUN_EAGERLY}", frame, run)

    def _in_scope(self, name: str, frame: FrameType, run: Callable[[], Any]) -> Any:
        with Scoped(self._session.log, name, frame, sys._getframe()):
            return run()

    open_scopes(_in_scope.__code__)

    def _run(self, call: Any, function: Any, args: tuple[Any, ...], more: dict[str, Any]) -> Any:
        self._running += 1
        try:
            with self._traces.calling(function, (args, more)):
                return call(function, *args, **more)
        finally:
            self._running -= 1

    @contextmanager
    def _vectorised(self) -> Iterator[None]:
        self._vectorising += 1
        try:
            yield
        finally:
            self._vectorising -= 1

    def _keep(self, array: Any, *args: Any, **more: Any) -> None:
        array._clear_after_read = array._clear_after_read and not self._running


def name_of(function: Any) -> str:
    """What a compiled function is called; one of a library's, as those that Keras' `fit` makes, by its package too."""
    return name_of_python(function.python_function)


def name_of_python(function: Any) -> str:
    """The same of the function in Python that is compiled."""
    written = tf_decorator.unwrap(function)[1]
    name: str = getattr(written, "__name__", type(written).__name__)
    code = getattr(written, "__code__", None)
    library = str(getattr(written, "__module__", "")).partition(".")[0]
    return f"{library}.{name}" if code is not None and is_library(code.co_filename) else name
