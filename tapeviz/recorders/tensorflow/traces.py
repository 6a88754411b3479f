"""A `tf.function` that runs op by op -> what would have been different if it had been compiled at its first call.

A compiled function keeps the Python values that were built into it, and may make variables only once. Here its body
runs at every call, so both rules are checked beside it.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tensorflow.python.eager.polymorphic_function.tf_method_target import TfMethodTarget
from tensorflow.python.util import nest, tf_decorator

from tapeviz.events.program.captures import Captures
from tapeviz.events.types import FunctionReused
from tapeviz.recorders.tensorflow.session import Session

ONCE = (
    "tf.function only supports singleton tf.Variables created on the first call. Make sure the tf.Variable is only "
    "created once or created outside tf.function. See https://www.tensorflow.org/guide/function#creating_tfvariables "
    "for more information."
)
"""What TensorFlow says of a variable that every call would make anew."""


class Traces:
    """For each compiled function, the values that it read at the calls at which TensorFlow would have traced it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._captures: weakref.WeakKeyDictionary[Any, Captures] = weakref.WeakKeyDictionary()
        self._made: list[weakref.ref[Any]] | None = None
        self._is_first = False
        self.rewritten = False
        """Whether what runs is in a function that AutoGraph would have rewritten."""

    @contextmanager
    def calling(self, function: Any, arguments: Any) -> Iterator[None]:
        """A block in which a compiled function runs, with those that it calls."""
        if self._made is not None:
            yield
            return
        captures = self._captures.setdefault(function, Captures())
        self._is_first, self._made, self.rewritten = not captures.is_traced, [], function._autograph
        self._compare(function, captures, nest.flatten(arguments))
        try:
            yield
            self._session.enter()  # the log lets go of the frame of the body, and so of what only that held
            if not all(map(_is_kept, self._made)):
                self._refuse()
            if self._made:
                captures.trace_again(*_read(function), nest.flatten(arguments))
        finally:
            self._made, self.rewritten = None, False

    def compare(self, function: Any, arguments: Any) -> None:
        """A compiled function is called, and stays compiled: record that it uses other values than there are, if so."""
        captures = self._captures.setdefault(function, Captures())
        self._compare(function, captures, nest.flatten(arguments))

    def traced(self, function: Any, arguments: Any) -> None:
        """A call has had it traced: what it reads now is built in."""
        self._captures.setdefault(function, Captures()).trace_again(*_read(function), nest.flatten(arguments))

    def created(self, variable: Any) -> None:
        """A variable was made, which in a compiled function is possible only at its first call.

        Raises:
            ValueError: TensorFlow's, at a later call.
        """
        if self._made is None:
            return
        if not self._is_first:
            self._refuse()
        self._made.append(weakref.ref(variable))

    def _refuse(self) -> None:
        error = ValueError(ONCE)
        self._session.fail(error)
        raise error

    def _compare(self, function: Any, captures: Captures, arguments: list[Any]) -> None:
        """Record that a compiled function would use other values than the ones it reads now, if so."""
        changed = captures.changed(*_read(function), arguments)
        if changed:
            self._session.note(FunctionReused, attrs=(function.python_function.__name__, changed))


def _read(function: Any) -> tuple[Callable[..., Any], Any]:
    """The plain function in a compiled one, and the object whose method it is."""
    plain = tf_decorator.unwrap(function.python_function)[1]
    target = getattr(plain, "__self__", None)
    return plain, target.target if isinstance(target, TfMethodTarget) else target


def _is_kept(reference: weakref.ref[Any]) -> bool:
    """Whether the program keeps a variable; the C++ tape that saw it is no referrer that Python knows of."""
    variable = reference()
    return variable is not None and bool(gc.get_referrers(variable))
