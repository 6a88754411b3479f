"""Compiled functions -> run op by op, so that every op is seen; the log says so."""

from __future__ import annotations

import sys
from typing import Any

from tensorflow.python.autograph.impl import api as autograph
from tensorflow.python.eager import context
from tensorflow.python.eager.polymorphic_function import eager_function_run, polymorphic_function
from tensorflow.python.ops import tensor_array_ops
from tensorflow.python.ops.parallel_for import control_flow_ops
from tensorflow.python.util import tf_decorator

from tapeviz.events.program.frames import is_library, open_scopes
from tapeviz.events.types import FunctionOpened
from tapeviz.recorders.patches import Patches
from tapeviz.recorders.scoped import Scoped
from tapeviz.recorders.tensorflow.session import Session
from tapeviz.recorders.tensorflow.traces import Traces


class OpenedFunctions:
    """Lets every `tf.function` that is called run eagerly, those of Keras' `fit` and optimizers too.

    TensorFlow's own switch for this warns of `tf.data`, whose functions stay compiled. So do loops that are
    vectorised, as over the rows of a Jacobian: they have no meaning otherwise. A function that is given to `tf.map_fn`
    or the like runs from its own lines, not from the file that AutoGraph makes of it. A `TensorArray` can be read
    again, as in a graph.
    """

    def __init__(self, session: Session, traces: Traces) -> None:
        self._session = session
        self._traces = traces
        self._told: set[str] = set()
        self._running = self._vectorising = 0

    def install(self, patches: Patches) -> None:
        """Stand in for TensorFlow's own wherever it decides between running and building a graph."""
        patches.wrap(autograph, "tf_convert", self._converting)
        patches.wrap(polymorphic_function.Function, "_run_functions_eagerly", self._deciding)
        patches.wrap(polymorphic_function.Function, "__call__", self._calling)
        patches.wrap(control_flow_ops, "pfor", self._compiling)
        patches.wrap(tensor_array_ops._EagerTensorArray, "__init__", self._keeping)

    def _opens(self) -> bool:
        return self._session.is_running and not self._vectorising

    def _converting(self, convert: Any) -> Any:
        def tf_convert(function: Any, *args: Any, **more: Any) -> Any:
            return function if self._opens() and context.executing_eagerly() else convert(function, *args, **more)

        return tf_convert

    def _deciding(self, before: Any) -> Any:
        return property(lambda function: self._opens() or bool(before.fget(function)))

    def _calling(self, call: Any) -> Any:
        def __call__(function: Any, *args: Any, **more: Any) -> Any:
            if not self._opens():
                return call(function, *args, **more)
            session, name = self._session, name_of(function)
            frame = session.enter()
            if name not in self._told and not eager_function_run.RUN_FUNCTIONS_EAGERLY:
                self._told.add(name)
                session.note(FunctionOpened, attrs=name)
            scope = Scoped(session.log, f"{name} (compiled, run eagerly)", frame, sys._getframe())
            self._running += 1
            try:
                with scope, self._traces.calling(function, (args, more)):
                    return call(function, *args, **more)
            finally:
                self._running -= 1

        open_scopes(__call__.__code__)
        return __call__

    def _compiling(self, pfor: Any) -> Any:
        def compiled(*args: Any, **more: Any) -> Any:
            self._vectorising += 1
            try:
                return pfor(*args, **more)
            finally:
                self._vectorising -= 1

        return compiled

    def _keeping(self, init: Any) -> Any:
        def __init__(array: Any, *args: Any, **more: Any) -> None:
            init(array, *args, **more)
            array._clear_after_read = array._clear_after_read and not self._running

        return __init__


def name_of(function: Any) -> str:
    """What a compiled function is called; one of a library's, as those that Keras' `fit` makes, by its package too."""
    written = tf_decorator.unwrap(function.python_function)[1]
    name: str = getattr(written, "__name__", type(written).__name__)
    code = getattr(written, "__code__", None)
    library = str(getattr(written, "__module__", "")).partition(".")[0]
    return f"{library}.{name}" if code is not None and is_library(code.co_filename) else name
