"""A model after its backward pass, or gradients by name -> outcomes of its parameters, without a log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from importlib import import_module
from numbers import Number
from typing import Any

from tapeviz.events.outcome import Outcome, SourceIdentity, sizes
from tapeviz.live.foreign_arrays import array_and_dtype, is_array
from tapeviz.phrases import kind_of
from tapeviz.recorders.frameworks import FRAMEWORKS, Framework
from tapeviz.validation import no_log


def outcomes_by_name(subject: Any) -> list[Outcome]:
    """One outcome per parameter; none where no gradient arrived at any.

    The norms are taken at once, as the program may change what it holds in its next line.

    Raises:
        TypeError: it is neither a model of PyTorch's nor gradients by name.
    """
    framework = _framework_of(subject)
    found: list[tuple[str, Any, Any]]
    if framework is not None:
        found = import_module(f"{framework.recorder}.own_gradients").own_gradients(subject)
    elif isinstance(subject, Mapping) or is_structure(subject):
        found = [(name, None, _entry(gradient)) for name, gradient in _leaves(subject, "")]
    else:
        raise no_log(subject)
    if all(gradient is None for *_, gradient in found):
        return []
    names, values, gradients = zip(*found, strict=True)
    measured = sizes([*values, *gradients])
    keys = (SourceIdentity("variable", name, None) for name in names)
    return list(zip(keys, measured[: len(names)], measured[len(names) :], strict=True))


def is_structure(subject: Any) -> bool:
    """Whether something is a data class, as the modules of Equinox are, and the gradients by them."""
    return is_dataclass(subject) and not isinstance(subject, type)


def _framework_of(subject: Any) -> Framework | None:
    """The framework of a model whose parameters have names."""
    bases = type(subject).__mro__ if callable(getattr(subject, "named_parameters", None)) else ()
    packages = (each.__module__.partition(".")[0] for each in bases)
    return next((FRAMEWORKS[package] for package in packages if package in FRAMEWORKS), None)


def _entry(value: Any) -> Any:
    """An array as a log has it."""
    return None if value is None else array_and_dtype(value)[0]


def _leaves(tree: Any, path: str) -> Iterator[tuple[str, Any]]:
    """The gradients in a structure, each with what leads to it, as in `layers.0.weight`.

    In a data class stands more than parameters: what is no array there is none of them.
    """
    is_open = is_structure(tree)
    for key, branch in _branches(tree):
        name = f"{path}.{key}" if path else str(key)
        if is_array(branch) or (not is_open and (branch is None or isinstance(branch, Number))):
            yield name, branch
        elif isinstance(branch, (Mapping, list, tuple)) or is_structure(branch):
            yield from _leaves(branch, name)
        elif not is_open:
            raise TypeError(f"The gradient of {name!r} is {kind_of(branch)}: pass an array, or None if there is none.")


def _branches(tree: Any) -> Iterable[tuple[Any, Any]]:
    """What a structure has, each with its name or its number."""
    if isinstance(tree, Mapping):
        return tree.items()
    if isinstance(tree, Sequence):
        return zip(getattr(tree, "_fields", range(len(tree))), tree, strict=True)
    return ((each.name, getattr(tree, each.name, None)) for each in fields(tree))
