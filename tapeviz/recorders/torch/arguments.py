"""The arguments of a call -> the inputs and the attributes of the op, as its record has them."""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

import numpy as np
import torch
from torch.overrides import get_overridable_functions, get_testing_overrides

from tapeviz.recorders.signatures import OpSignature
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.values import dtype_name, tensors_in

Tensor = torch.Tensor
_LITERALS: dict[type, Any] = {float: np.float64, int: np.int64, bool: np.bool_, complex: np.complex128}
_PLAIN = (bool, int, float, str)
_REDUCTIONS = ("none", "mean", "sum")
"""By the numbers that PyTorch's own C++ has for them."""

# PyTorch lists its functions once, when it is first asked: after this, never while a recording has wrapped some.
get_overridable_functions()
get_testing_overrides()


class Arguments:
    """The meaning of the arguments of one function: which are inputs of its op, and which attributes."""

    __slots__ = ("_is_open", "_keywords", "_parameters", "_session")

    def __init__(self, session: Session, func: Any, signature: OpSignature) -> None:
        self._session = session
        self._parameters = tuple([word.attribute for word in signature.inputs]) or _parameters_of(func)
        self._keywords = {word.own: word.attribute for word in signature.inputs}
        self._is_open = any(word.is_open for word in signature.inputs)

    def split(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The inputs of a call, as ids and literals, and its attributes, as pairs of name and value."""
        session = self._session
        ids = session.tensors.ids
        if not kwargs and not session.lent.loans:
            known = tuple([ids.get(id(value)) for value in args])
            if None not in known:
                return known, ()
        inputs: list[Any] = []
        attrs: list[tuple[str, Any]] = []
        for at, value in enumerate(args, start=1 - _operands(args) if self._is_open else 0):
            found = ids.get(id(value))
            if found is not None:
                inputs.append(found)
            elif isinstance(value, Tensor):
                inputs.append(session.ledger.mention(value))
            elif value is not None and type(value) is int and attrs and 0 < len(self._parameters) <= at:
                name, before = attrs[-1]
                attrs[-1] = name, (*(before if type(before) is tuple else (before,)), value)  # as in `view(2, 3)`
            elif value is not None:
                self._add(self._parameter(at), value, inputs, attrs)
        for name, value in kwargs.items():
            if value is not None:
                self._add(self._keywords.get(name, name), value, inputs, attrs)
        if session.lent.loans:
            session.lent.look_at({each for each in inputs if type(each) is int})
        return tuple(inputs), tuple(attrs)

    def _parameter(self, at: int) -> str | None:
        parameters = self._parameters
        if at < 0:
            return None
        return parameters[at] if at < len(parameters) else parameters[-1] if parameters else f"argument{at}"

    def _add(self, name: str | None, value: Any, inputs: list[Any], attrs: list[tuple[str, Any]]) -> None:
        kind = type(value)
        found = self._session.tensors.ids.get(id(value))
        if found is not None:
            inputs.append(found)
        elif isinstance(value, Tensor):
            inputs.append(self._session.ledger.mention(value))
        elif name is None and kind in _LITERALS:
            inputs.append(_LITERALS[kind](value))
        elif name == "index":
            inputs += map(self._session.ledger.id_of, _indices(value))
            attrs.append((name, index_of(value)))
        elif name == "reduction" and kind is int:
            attrs.append((name, _REDUCTIONS[value]))
        elif kind in (list, tuple, torch.Size):
            tensors = list(tensors_in(value))
            inputs += map(self._session.ledger.id_of, tensors)
            if not tensors and name is not None:
                attrs.append((name, _plain(value)))
        elif name is not None:
            plain = _plain(value)
            if plain is not None:
                attrs.append((name, plain))


def _operands(args: tuple[Any, ...]) -> int:
    """The number of arguments before the first number or text."""
    return next((at for at, value in enumerate(args) if isinstance(value, _PLAIN)), len(args))


def _indices(index: Any) -> list[Any]:
    """The tensors in an index, also those that are bounds of slices."""
    entries = index if type(index) is tuple else (index,)
    parts = ((each.start, each.stop, each.step) if isinstance(each, slice) else (each,) for each in entries)
    return [each for part in parts for each in part if isinstance(each, Tensor)]


def index_of(index: Any) -> Any:
    """An index as plain values: ints, (start, stop, step), None for a new axis, "..." and "mask".

    >>> index_of((0, slice(1, None), None, ...))
    (0, (1, None, None), None, '...')
    """
    return tuple(_entry(each) for each in (index if type(index) is tuple else (index,)))


def _entry(entry: Any) -> Any:
    if isinstance(entry, slice):
        return tuple(
            each if each is None or type(each) is int else "t" for each in (entry.start, entry.stop, entry.step)
        )
    if entry is Ellipsis:
        return "..."
    if isinstance(entry, Tensor):
        return "mask" if entry.dtype is torch.bool else "t"
    return entry if entry is None or isinstance(entry, (bool, int)) else _plain(entry) or "t"


def _plain(value: Any) -> Any:
    """An attribute as a plain value for a log; None if there is none."""
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, torch.dtype):
        return dtype_name(value)
    if isinstance(value, (list, tuple)):
        parts = tuple(map(_plain, value))
        return None if None in parts else parts
    return str(value) if isinstance(value, (torch.device, torch.memory_format)) else None


def _parameters_of(func: Any) -> tuple[str | None, ...]:
    """The names of the parameters of a function without a row in the table; none for functions of the user's."""
    known = get_testing_overrides().get(func)
    return () if known is None else _parameter_names(known)


@cache
def _parameter_names(known: Any) -> tuple[str, ...]:
    """The names of a PyTorch function's parameters, from the signature that PyTorch's tests have for it."""
    return tuple(
        name for name, each in inspect.signature(known).parameters.items() if each.kind is not each.VAR_KEYWORD
    )
