"""A primitive of autograd's and its arguments -> the op of the catalog that it is: which of them are operands, and what
is an attribute."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tapeviz.events import catalog
from tapeviz.events.program.frames import is_library
from tapeviz.events.types import Attrs
from tapeviz.recorders.autograd.table import ROWS
from tapeviz.recorders.autograd.values import is_array
from tapeviz.recorders.plain_values import plain
from tapeviz.recorders.signatures import OpSignature, Word, in_catalogs_order

NOT_LOGGED = frozenset({"args", "kwargs", "space"})
"""Words of the table for arguments that autograd passes on beside what the user wrote."""


@dataclass(frozen=True)
class Form:
    """How an op is written into the log: its name, the positions of its operands, in order, and its attributes."""

    name: str
    operands: tuple[int, ...]
    attrs: Attrs = ()


def form_of(fun: Any, args: Sequence[Any], kwargs: Mapping[str, Any], followed: Sequence[int]) -> Form:
    """The op that a primitive is, called with these arguments; those at the positions `followed` are boxes' values."""
    own = str(getattr(fun, "__name__", fun))
    if is_users(fun):
        return Form(own, _operands(args, followed), (catalog.CUSTOM,))
    signature = _signature(own, args, kwargs)
    if signature is None:
        return Form(own.strip("_") or own, _operands(args, followed))
    words = signature.words(len(args))
    operands = [index for index, word in enumerate(words) if word.attribute is None]
    order = in_catalogs_order(signature.name, [words[index].own for index in operands])
    found = {word.attribute: value for word, value in zip(words, args, strict=False) if word.attribute}
    found |= {ours: kwargs[theirs] for theirs, ours in signature.settings if theirs in kwargs}
    attrs = tuple((name, _plain(value)) for name, value in found.items() if name not in NOT_LOGGED)
    return Form(signature.name, tuple(operands[at] for at in order), attrs)


def is_users(fun: Any) -> bool:
    """Whether a primitive is a function of the user's, with a derivative of the user's own."""
    code = getattr(getattr(fun, "fun", None), "__code__", None)
    return code is not None and not is_library(code.co_filename)


def _operands(args: Sequence[Any], followed: Sequence[int]) -> tuple[int, ...]:
    return tuple(at for at, each in enumerate(args) if at in followed or is_array(each) or isinstance(each, float))


def _plain(value: Any) -> Any:
    """An attribute as a log has it: a slice by its three parts, arrays by their shape alone."""
    if isinstance(value, slice):
        return value.start, value.stop, value.step
    if isinstance(value, (list, tuple)):
        return tuple(map(_plain, value))
    if isinstance(value, np.ndarray) and value.size > MOST:
        return f"array of shape {value.shape}"
    return "..." if value is Ellipsis else plain(value)


MOST = 100
"""Elements of an array that an attribute may have, as an index does."""


# ----- primitives that are one op or another -----


def _signature(own: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> OpSignature | None:
    alternative = _ALTERNATIVES.get(own)
    return alternative(args, kwargs) if alternative is not None else ROWS.get(own)


def _dot(args: Sequence[Any], kwargs: Mapping[str, Any]) -> OpSignature | None:
    """A product of numbers, or one of matrices; with more axes it is neither."""
    ranks = [np.ndim(each) for each in args[:2]]
    return ROWS["multiply"] if min(ranks) == 0 else ROWS["matmul"] if ranks[1] <= 2 else None


def _einsum(args: Sequence[Any], kwargs: Mapping[str, Any]) -> OpSignature | None:
    """With its equation as a text, rather than as lists of axes."""
    return ROWS["einsum"] if isinstance(args[0], str) else None


def _variance(args: Sequence[Any], kwargs: Mapping[str, Any]) -> OpSignature | None:
    """The mean of squares, where nothing is said of degrees of freedom."""
    is_mean = len(args) <= 2 and not kwargs.get("ddof")
    axis = (Word("axis", "axis", False),)
    return OpSignature("reduce_variance", (Word("x", None, False), *axis), (("axis", "axis"),)) if is_mean else None


_ALTERNATIVES: Mapping[str, Callable[[Sequence[Any], Mapping[str, Any]], OpSignature | None]] = {
    "dot": _dot,
    "einsum": _einsum,
    "var": _variance,
}
