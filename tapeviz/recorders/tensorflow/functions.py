"""Compiled functions run op by op, as they are written, so that every op of theirs is seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorflow.python.eager.polymorphic_function import polymorphic_function
from tensorflow.python.ops.parallel_for import control_flow_ops

from tapeviz.recorders.patches import Patches
from tapeviz.recorders.tensorflow.traces import Traces


def open_functions(patches: Patches, traces: Traces, here: Callable[[], bool]) -> None:
    """Let every `tf.function` that is called run eagerly, those of Keras' `fit` and optimizers too.

    TensorFlow's own switch for this warns of `tf.data`, whose functions stay compiled. So do loops that are
    vectorised, as over the rows of a Jacobian: they have no meaning otherwise.
    """
    vectorising = 0

    def opens() -> bool:
        return here() and not vectorising

    def opened(before: Any) -> Any:
        return property(lambda function: opens() or bool(before.fget(function)))

    def called(call: Any) -> Any:
        def __call__(function: Any, *args: Any, **more: Any) -> Any:
            if not opens():
                return call(function, *args, **more)
            with traces.calling(function, (args, more)):
                return call(function, *args, **more)

        return __call__

    def compiled(pfor: Any) -> Any:
        def run(*args: Any, **more: Any) -> Any:
            nonlocal vectorising
            vectorising += 1
            try:
                return pfor(*args, **more)
            finally:
                vectorising -= 1

        return run

    patches.wrap(polymorphic_function.Function, "_run_functions_eagerly", opened)
    patches.wrap(polymorphic_function.Function, "__call__", called)
    patches.wrap(control_flow_ops, "pfor", compiled)
