"""Misuse -> an exception that says what happened, to which tensor or op, and what to do.

    TapevizError
    ├── LogError               a log cannot answer: an unknown tensor, a position outside it
    │   └── LogFileError           a file is no log, is damaged, or was written by a newer version
    ├── StoppedError           `record(stop_on=...)` met the gradient that it was to stop at
    ├── GradientCheckError     the tape's gradient of a function is not its slope
    └── OpError                TensorFlow's base class of run-time errors (`tf.errors.OpError`)
        ├── InvalidArgumentError   bad shapes, mixed dtypes, an index out of range
        ├── OutOfRangeError        a first row where there is none
        ├── FailedPreconditionError a cross product of vectors that are not of length 3
        ├── UnimplementedError     a text cast to a number, or a number to a text
        ├── InternalError          a whole number divided by 0 and cut off
        ├── NotFoundError          a dtype that an op has no kernel for
        ├── UnknownError           what a `py_function` raised
        └── ...                    the others, which only a program itself raises: AbortedError, DataLossError, ...

The same misuse raises the same class name as in TensorFlow 2.21; where TensorFlow raises
a built-in class (`ValueError`, `TypeError`, `RuntimeError`), so does tapeviz.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any


class TapevizError(Exception):
    """Base class of the errors that only tapeviz raises."""


class LogError(TapevizError, LookupError):
    """A log was asked about something that it does not hold."""


class LogFileError(LogError):
    """The file at `path` cannot be read as a log."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(message)
        self.path = path


class StoppedError(TapevizError):
    """A gradient was what `record(stop_on=...)` is to stop at; the message is the finding."""


class GradientCheckError(TapevizError, AssertionError):
    """The derivative of a function by the tape is not the one by differences (`check_gradients`).

    `argument` is the name of the argument it was taken for, `order` 1 or 2, `tape` and `numeric` are the two slopes.
    """

    def __init__(self, message: str, argument: str, order: int, tape: float, numeric: float) -> None:
        super().__init__(message)
        self.argument = argument
        self.order = order
        self.tape = tape
        self.numeric = numeric


class OperatorNotAllowedInGraphError(TypeError):
    """Python asks for the value of a tensor in a graph, which has none yet."""


class Unforeseen(str):
    """What is said of a mistake that TensorFlow meets when an op runs, though shapes and attributes show it before."""

    __slots__ = ()


class OpError(TapevizError):
    """An op could not run on the values it was given (`tf.errors.OpError`).

    It is made of a message, alone or where TensorFlow's have it, behind the node and the op.
    """

    error_code: int | None = None
    """The number of the class, as `tf.errors.OpError.error_code` gives it."""
    in_graph: Callable[[str], Exception] | None = None
    """What TensorFlow raises instead while it builds a graph, or runs one; None if the same."""

    def __init__(self, node_def: object, op: object = None, message: object = None, error_code: Any = None) -> None:
        super().__init__()  # TensorFlow's have no `args` either
        self._message = node_def if message is None else message
        self.node_def = None if message is None else node_def
        self.op = op
        if self.error_code is None:
            self.error_code = error_code

    @property
    def message(self) -> str:
        """The text of the error, as `tf.errors.OpError.message` gives it."""
        return str(self._message)

    @property
    def experimental_payloads(self) -> dict[str, bytes]:
        """What a runtime of several machines would add: nothing."""
        return {}

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._message,), self.__dict__


class UnimplementedError(OpError):
    """An op is not there for these dtypes or strides, or a callback said so (`tf.errors.UnimplementedError`)."""

    error_code = 12


class FailedPreconditionError(OpError):
    """A tensor is not of the kind that an op is defined for (`tf.errors.FailedPreconditionError`)."""

    error_code = 9


class InvalidArgumentError(OpError):
    """An op received shapes, dtypes or indices it cannot work with (`tf.errors.InvalidArgumentError`)."""

    error_code = 3

    def __init__(
        self,
        *about: object,
        at_run: bool = False,
        in_graph: type[Exception] = ValueError,
        **named: object,
    ) -> None:
        """`at_run` says that TensorFlow, too, meets the mistake when the op runs: building the graph shows none.

        Else it is of the class `in_graph` there: ValueError where shapes show the mistake, TypeError where dtypes do.
        An error of the user's own stays what it is.
        """
        super().__init__(*about, **named)
        self.in_graph = None if at_run or len(about) + len(named) > 1 else in_graph


class OutOfRangeError(OpError):
    """There is nothing at the place that an op asks for, or left in a dataset (`tf.errors.OutOfRangeError`)."""

    error_code = 11


class DataLossError(OpError):
    """A tensor does not fit into the room that it is given, as for padding (`tf.errors.DataLossError`)."""

    error_code = 15


class UnknownError(OpError):
    """A Python function that ran as an op raised an error (`tf.errors.UnknownError`)."""

    error_code = 2


class CancelledError(OpError):
    """An op was cancelled (`tf.errors.CancelledError`)."""

    error_code = 1


class DeadlineExceededError(OpError):
    """An op took too long (`tf.errors.DeadlineExceededError`)."""

    error_code = 4


class NotFoundError(OpError):
    """A file, or something else that was asked for, is not there (`tf.errors.NotFoundError`)."""

    error_code = 5


class AlreadyExistsError(OpError):
    """What was to be made is there already (`tf.errors.AlreadyExistsError`)."""

    error_code = 6


class PermissionDeniedError(OpError):
    """A program may not do what it tried (`tf.errors.PermissionDeniedError`)."""

    error_code = 7


class ResourceExhaustedError(OpError):
    """There is not enough memory (`tf.errors.ResourceExhaustedError`)."""

    error_code = 8


class AbortedError(OpError):
    """An op was broken off (`tf.errors.AbortedError`)."""

    error_code = 10


class InternalError(OpError):
    """Something is wrong in the library (`tf.errors.InternalError`)."""

    error_code = 13


class UnavailableError(OpError):
    """A service is not there at the moment (`tf.errors.UnavailableError`)."""

    error_code = 14


class UnauthenticatedError(OpError):
    """A program did not say who it is (`tf.errors.UnauthenticatedError`)."""

    error_code = 16


OK = 0
"""The code of what is no error; each class has its own under the name that follows, as `tf.errors.INVALID_ARGUMENT`."""
CANCELLED, UNKNOWN, INVALID_ARGUMENT, DEADLINE_EXCEEDED, NOT_FOUND, ALREADY_EXISTS = range(1, 7)
PERMISSION_DENIED, RESOURCE_EXHAUSTED, FAILED_PRECONDITION, ABORTED, OUT_OF_RANGE, UNIMPLEMENTED = range(7, 13)
INTERNAL, UNAVAILABLE, DATA_LOSS, UNAUTHENTICATED = range(13, 17)
