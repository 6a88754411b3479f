"""Variables made in a `tf.function` -> TensorFlow's errors: only the first call may make some, and must keep them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any, NamedTuple, NoReturn
from weakref import ref

from tapeviz.engine.notes import note_raised, note_return
from tapeviz.engine.recording import current
from tapeviz.engine.setting import Setting
from tapeviz.engine.tensors.mutable import MutableTensor, on_creation

SINGLETONS = (
    "tf.function only supports singleton tf.Variables created on the first call. Make sure the tf.Variable is only "
    "created once or created outside tf.function. See "
    "https://www.tensorflow.org/guide/function#creating_tfvariables for more information."
)
TOO_LATE = "Creating variables on a non-first call to a function decorated with tf.function."


class NewVariable(NamedTuple):
    """A variable that a function has made, and the line of the source where."""

    variable: ref[MutableTensor]
    code: CodeType
    line: int


def noted(variable: MutableTensor) -> NewVariable:
    """The variable and its line."""
    *_, code, lasti = variable._origin
    line = next((line for start, end, line in code.co_lines() if start <= lasti < end), code.co_firstlineno)
    return NewVariable(ref(variable), code, line or code.co_firstlineno)


@contextmanager
def making(function: Callable[..., Any]) -> Iterator[None]:
    """A block that calls a function of which TensorFlow builds one graph. The program must keep variables made in it.

    Raises:
        ValueError: it does not keep one of them.
    """
    fresh: list[NewVariable] = []
    with Setting(on_creation, lambda variable: fresh.append(noted(variable))):
        yield
    require_kept(fresh, function, getattr(function, "__name__", type(function).__name__))


def require_kept(variables: list[NewVariable], function: Callable[..., Any], name: str) -> None:
    """Raise ValueError unless the program keeps all of these variables: the next call would make them again."""
    if variables:
        note_return()  # a recording may hold the frame that had them
    for each in variables:
        if not _is_held(each.variable):
            place = f"at {each.code.co_filename}:{each.line}"
            error = ValueError(f"{SINGLETONS} {name} makes one at every call, {place}, and lets it go.")
            note_raised(error)
            raise error


def refused(after_others: bool) -> Callable[[MutableTensor], NoReturn]:
    """A function that raises the ValueError for a variable made in a later call.

    Args:
        after_others: whether the first call made variables.
    """

    def refuse(variable: MutableTensor) -> NoReturn:
        error = ValueError(
            f"{SINGLETONS if after_others else TOO_LATE} Create it outside, or only if it is not there yet."
        )
        note_raised(error)
        raise error

    return refuse


def _is_held(variable: ref[MutableTensor]) -> bool:
    """Whether something else than tapes, which watch it, still refers to a variable."""
    found = variable()
    if found is None:
        return False
    watching = sum(found._id in trace.watched for trace in current.get().traces)
    return sys.getrefcount(found) - 2 > watching
