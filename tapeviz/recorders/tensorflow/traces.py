"""A `tf.function` that runs op by op -> what would have gone otherwise, had it been compiled at its first call.

Compiled, a function keeps the Python values that it read while it was traced, and may make variables only once. Here
its body runs at every call, so both are looked after beside it.
"""

from __future__ import annotations

import gc
import inspect
import weakref
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from types import CodeType, ModuleType
from typing import Any

from tensorflow.python.eager.polymorphic_function.tf_method_target import TfMethodTarget
from tensorflow.python.util import nest, tf_decorator

from tapeviz.events.raised import note_error
from tapeviz.events.types import FunctionReused
from tapeviz.recorders.tensorflow.ledger import Ledger

PLAIN = (bool, int, float, str, type(None))
"""Values of these types are built into a compiled function."""

ONCE = (
    "tf.function only supports singleton tf.Variables created on the first call. Make sure the tf.Variable is only "
    "created once or created outside tf.function. See https://www.tensorflow.org/guide/function#creating_tfvariables "
    "for more information."
)
"""What TensorFlow says of a variable that every call would make anew."""


class Traces:
    """What each compiled function has seen at the calls at which TensorFlow would have traced it."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._read: weakref.WeakKeyDictionary[Any, dict[Hashable, dict[str, Any]]] = weakref.WeakKeyDictionary()
        self._made: list[weakref.ref[Any]] | None = None
        self._is_first = False
        self.rewritten = False
        """Whether what runs is in a function that AutoGraph would have rewritten."""

    @contextmanager
    def calling(self, function: Any, arguments: Any) -> Iterator[None]:
        """A compiled function runs; what it calls belongs to it."""
        if self._made is not None:
            yield
            return
        traces = self._read.setdefault(function, {})
        self._is_first, self._made, self.rewritten = not traces, [], function._autograph
        self._compare(function, traces, _signature(arguments))
        try:
            yield
            self._ledger.enter()  # the log lets go of the frame of the body, and so of what only that held
            if not all(map(_is_kept, self._made)):
                self._refuse()
        finally:
            self._made, self.rewritten = None, False

    def created(self, variable: Any) -> None:
        """A variable was made; in a compiled function that is possible at its first call only.

        Raises:
            ValueError: it is not the first, as TensorFlow raises it.
        """
        if self._made is None:
            return
        if not self._is_first:
            self._refuse()
        self._made.append(weakref.ref(variable))

    def _refuse(self) -> None:
        error = ValueError(ONCE)
        note_error(self._ledger.log, error)
        raise error

    def _compare(self, function: Any, traces: dict[Hashable, dict[str, Any]], signature: Hashable) -> None:
        """Tell if the function would be the one that was traced with other values than it reads now."""
        read = dict(_values(tf_decorator.unwrap(function.python_function)[1]))
        before = traces.setdefault(signature, read)
        changed = tuple(name for name, value in read.items() if name in before and before[name] != value)
        if changed:
            log, frame = self._ledger.log, self._ledger.enter()
            about = function.python_function.__name__, changed
            log.append(FunctionReused, None, None, None, about, frame.f_code, frame.f_lasti, log.scope)


def _is_kept(made: weakref.ref[Any]) -> bool:
    """Whether the program keeps a variable; a tape that saw it does, and is nothing that Python can name."""
    variable = made()
    return variable is not None and bool(gc.get_referrers(variable))


def _values(function: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """The plain Python values that a function reads of the world around it, by the names in its text."""
    plain = inspect.unwrap(function)
    code = getattr(plain, "__code__", None)
    if code is None:
        return
    around = dict(getattr(plain, "__globals__", {}))
    cells = getattr(plain, "__closure__", None) or ()
    around |= {name: each.cell_contents for name, each in zip(code.co_freevars, cells, strict=False) if _is_full(each)}
    for name in (*code.co_names, *code.co_freevars):
        if type(around.get(name)) in PLAIN and name in around:
            yield name, around[name]
    owners = {name: around[name] for name in (*code.co_freevars, *code.co_names) if name in around}
    target = getattr(plain, "__self__", None)
    owners[""] = target.target if isinstance(target, TfMethodTarget) else target
    for name, owner in owners.items():
        yield from _held(name, owner, code)


def _held(name: str, owner: Any, code: CodeType) -> Iterator[tuple[str, Any]]:
    """The plain values in an object, a dict or a list that a function's text may read there."""
    if isinstance(owner, ModuleType):
        return
    if isinstance(owner, list):
        yield from [(name, tuple(owner))] if all(type(each) in PLAIN for each in owner) else []
        return
    asked = [each for each in code.co_consts if isinstance(each, str)] if isinstance(owner, dict) else code.co_names
    held = owner if isinstance(owner, dict) else getattr(owner, "__dict__", {})
    yield from ((each, held[each]) for each in asked if each in held and type(held[each]) in PLAIN)


def _is_full(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None or True
    except ValueError:  # a name that has no value yet
        return False


def _signature(arguments: Any) -> Hashable:
    """What TensorFlow tells calls apart by: of a tensor its shape and dtype, of a number its value."""
    return tuple(_kind(each) for each in nest.flatten(arguments))


def _kind(each: Any) -> Hashable:
    if hasattr(each, "shape") and hasattr(each, "dtype"):
        return "tensor", tuple(each.shape), str(each.dtype)
    return ("value", type(each), each) if type(each) in PLAIN else ("object", id(each))
