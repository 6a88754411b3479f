"""The public names of the functions of ops: "math.reduce_sum" -> the function."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

EXPORTS: dict[str, Any] = {}
"""Every public function by its TensorFlow name without the `tf.`."""

F = TypeVar("F", bound=Callable[..., Any])


def export(*names: str) -> Callable[[F], F]:
    """Register a function under its public names. TensorFlow's names for it are listed without the `tf.`.

    A function that another function has made gets the last part of the first name as its own.

    Raises:
        ValueError: a name is taken.
    """

    def enter(function: F) -> F:
        if function.__name__ not in {_last(name) for name in names}:  # as `round_`, which leaves Python's own in peace
            function.__name__ = function.__qualname__ = _last(names[0])
        if not _is_in_its_module(function):  # and pickle would look for it there
            _place(function, names)
        for name in names:
            if name in EXPORTS:
                raise ValueError(f"tf.{name} is exported twice.")
            EXPORTS[name] = function
        return function

    return enter


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _is_in_its_module(value: Any) -> bool:
    """Whether a function has the name by which it was defined in its module; not if it was made by a function."""
    code = getattr(inspect.unwrap(value), "__code__", None)
    return code is None or code.co_qualname == value.__qualname__


def _place(function: Callable[..., Any], names: tuple[str, ...]) -> None:
    """Set the `__module__` of a function to where users find it: a namespace, if there is one, rather than `tf`.

    Nested namespaces are no modules: their names are part of `__qualname__`.
    """
    namespace = max(name.rpartition(".")[0] for name in names if _last(name) == function.__name__)
    module, _, rest = namespace.partition(".")
    function.__module__ = f"tapeviz.{module}".rstrip(".")
    function.__qualname__ = f"{rest}.{function.__name__}".lstrip(".")


def exports(namespace: str) -> dict[str, Any]:
    """The public functions of a namespace by the last part of their names.

    Args:
        namespace: for instance "math"; "" for `tf` itself.
    """
    start = f"{namespace}." if namespace else ""
    inner = {name.removeprefix(start): value for name, value in EXPORTS.items() if name.startswith(start)}
    return {name: value for name, value in inner.items() if "." not in name}
