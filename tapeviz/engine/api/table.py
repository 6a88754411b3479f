"""The table of public names: "math.reduce_sum" -> function, and what to say of a name that is not in it."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, TypeVar

EXPORTS: dict[str, Any] = {}
"""Every public function by its TensorFlow name without the `tf.`."""

CLOSE = 0.7
"""How alike a name must be to be offered instead: `matmull` gets `matmul`, `image` gets nothing."""

F = TypeVar("F", bound=Callable[..., Any])


def export(*names: str) -> Callable[[F], F]:
    """Make a function public under TensorFlow's names for it.

    Raises:
        ValueError: a name is taken.
    """

    def enter(function: F) -> F:
        for name in names:
            if name in EXPORTS:
                raise ValueError(f"tf.{name} is exported twice.")
            EXPORTS[name] = function
        return function

    return enter


def exports(namespace: str) -> dict[str, Any]:
    """The functions of a namespace, "" for `tf` itself, by their last name."""
    start = f"{namespace}." if namespace else ""
    inner = {name.removeprefix(start): value for name, value in EXPORTS.items() if name.startswith(start)}
    return {name: value for name, value in inner.items() if "." not in name}


def missing(namespace: str) -> Callable[[str], Any]:
    """A module's `__getattr__`: an AttributeError that names the nearest function there is."""
    where = f"tapeviz.{namespace}" if namespace else "tapeviz"

    def absent(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {where!r} has no attribute {name!r}")
        raise AttributeError(f"module {where!r} has no attribute {name!r} yet.{_advice(name, namespace)}")

    return absent


def _advice(name: str, namespace: str) -> str:
    elsewhere = [full for full in EXPORTS if full.rpartition(".")[2] == name]
    if elsewhere:
        return f" There is tf.{elsewhere[0]}."
    near = get_close_matches(name, exports(namespace), n=1, cutoff=CLOSE)
    if near:
        return f" The nearest it has is tf.{namespace + '.' if namespace else ''}{near[0]}."
    near = get_close_matches(name, [full.rpartition(".")[2] for full in EXPORTS], n=1, cutoff=CLOSE)
    found = next((full for full in EXPORTS if near and full.rpartition(".")[2] == near[0]), None)
    return f" The nearest it has is tf.{found}." if found else ""
