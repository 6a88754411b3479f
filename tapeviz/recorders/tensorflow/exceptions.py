"""An exception of TensorFlow or Keras, caught or not -> its record, at the user's line, and a short traceback."""

from __future__ import annotations

import dis
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from tensorflow.python.framework import errors, indexed_slices, tensor
from tensorflow.python.framework import ops as framework_ops
from tensorflow.python.ops import custom_gradient, resource_variable_ops
from tensorflow.python.util import traceback_utils

from tapeviz.events.program.frames import is_library
from tapeviz.recorders.keras import in_keras
from tapeviz.recorders.patches import Row, Wrapped, replaced
from tapeviz.recorders.tensorflow.session import Session

OPERATORS = {
    f"__{side}{name}__": sign
    for name, sign in {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "matmul": "@", "pow": "**"}.items()
    for side in ("", "r")
}
"""The operators that a dense gradient has and a sparse one lacks."""
TENSORS = (tensor.Tensor, resource_variable_ops.BaseResourceVariable)
"""What has these operators, with a sparse gradient on either side."""
CALLS = ("apply_gradients", "apply")
"""Methods of a Keras optimizer whose errors are about gradients."""
RECORDERS = str(Path(__file__).parents[1]) + os.sep
"""The folder whose frames no traceback shows."""


def rows(session: Session) -> list[Row]:
    """Hooks at failing ops and calls, at errors of optimizers, and at operators that sparse gradients lack."""

    def failed(error: Exception) -> None:
        if not _is_end_of_data(error):
            session.fail(error)

    sparse = indexed_slices.IndexedSlices
    optimizers = in_keras("optimizers.base_optimizer", "BaseOptimizer")
    calls = [(framework_ops, "raise_from_not_ok_status"), (custom_gradient, "_eager_mode_decorator")]
    calls += [(each, name) for each in optimizers for name in CALLS]
    return [
        *(session.running.failed(owner, name, failed) for owner, name in calls),
        *(replaced(each, "__getattr__", _absent(session)) for each in (sparse, *optimizers)),
        *(replaced(sparse, method, _refusing(sign, session)) for method, sign in OPERATORS.items()),
    ]


def shortened_tracebacks() -> list[Row]:
    """TensorFlow and Keras leave out the frames of recorders, as they leave out their own."""
    modules = (traceback_utils, sys.modules.get("keras.src.utils.traceback_utils"))
    found = [each for each in modules if hasattr(each, "_EXCLUDED_PATHS")]
    return [Wrapped(each, "_EXCLUDED_PATHS", lambda paths: (*paths, RECORDERS)) for each in found]


def _is_end_of_data(error: Exception) -> bool:
    """Whether it is the error that ends a loop over a dataset."""
    return isinstance(error, errors.OutOfRangeError) and "End of sequence" in str(error)


def _absent(session: Session) -> Callable[[Any, str], Any]:
    """A `__getattr__` for missing attributes, which notes and raises the same error as Python."""

    def __getattr__(obj: Any, name: str) -> Any:
        error = AttributeError(f"{type(obj).__name__!r} object has no attribute {name!r}", name=name, obj=obj)
        if session.is_running and _is_written_out(sys._getframe(1)):
            session.fail(error)
        raise error

    return __getattr__


def _refusing(sign: str, session: Session) -> Callable[[Any, Any], Any]:
    """The method of an operator that a sparse gradient lacks: it notes the error, and Python raises it.

    Where the other operand is a tensor Python asks that one next, which makes a tensor of the gradient.
    """

    def operator(one: Any, other: Any) -> Any:
        if session.is_running and not isinstance(other, TENSORS):
            kinds = f"{type(one).__name__!r} and {type(other).__name__!r}"
            session.fail(TypeError(f"unsupported operand type(s) for {sign}: {kinds}"))
        return NotImplemented

    return operator


def _is_written_out(frame: FrameType) -> bool:
    """Whether a frame is at an `a.b` in the user's code, not at a `hasattr` or in a library."""
    code = frame.f_code
    return not is_library(code.co_filename) and dis.opname[code.co_code[frame.f_lasti]] in ("LOAD_ATTR", "LOAD_METHOD")
