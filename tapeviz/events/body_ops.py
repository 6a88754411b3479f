"""The records of the ops that a user's function ran, in a log -> what a witness of its gradient is to say of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tapeviz.events.log import EventLog
from tapeviz.events.raw import ATTRS, INPUTS, KIND, OUTPUTS, STRIDE, VALUES
from tapeviz.events.types import AN_INDEX, TRUTH, ReadOut
from tapeviz.events.values import bytes_of, read_spec

MOST_OPS = 200
MOST_BYTES = 1 << 24
"""How many ops a function may run, and how many bytes they may give, to be differentiated once more."""
_DIGITS = {"float64": 52, "complex128": 52, "float16": 10, "complex32": 10, "bfloat16": 7}
_DIGITS_OF_OTHERS = 23

_BRANCHING = frozenset({TRUTH, AN_INDEX})
"""How a number is read out that only says which way a function goes on."""
_CALLS_PYTHON = frozenset({"PyFunc", "PyFuncStateless", "EagerPyFunc"})

Record = list[Any]


def body_since(log: EventLog, since: int) -> list[Record] | None:
    """The records of ops from an entry of the log on; None if there are none, too many, or too large ones."""
    many = log.end - since
    if not log.keeps_values or not 0 < many <= MOST_OPS * STRIDE or len(log.raw) < many:
        return None
    raw = log.raw[-many:]
    records = [raw[at : at + STRIDE] for at in range(0, many, STRIDE)]
    if any(each[KIND] is ReadOut and each[ATTRS] not in _BRANCHING for each in records):
        return None  # what was computed elsewhere of what was read there is not seen
    found = [each for each in records if type(each[KIND]) is str]
    if not found or sum(bytes_of(*each) for each in _specs(found)) > MOST_BYTES:
        return None
    is_lost = any(_makes_integers(each[ATTRS]) or each[KIND] in _CALLS_PYTHON for each in found)
    return None if is_lost else found


def passed(records: list[Record]) -> tuple[str, ...]:
    """The names of the ops that a gradient passes: not those that lead to a `stop_gradient` alone, as in a softmax."""
    read = {each for record in records for each in record[INPUTS] if type(each) is int}
    live = {each for record in records for each in _ids(record)} - read
    names = []
    for record in reversed(records):
        if not live.isdisjoint(_ids(record)):
            names.append(record[KIND])
            live.update(record[INPUTS] if record[KIND] != "stop_gradient" else ())
    return tuple(reversed(names))


def is_telling(arguments: Iterable[Any]) -> bool:
    """Whether a call shows what its function computes: of arrays that are all zero, many give zeros.

    >>> import numpy as np
    >>> is_telling([np.zeros(3), "sum"]), is_telling([np.zeros(3), np.ones(1)]), is_telling([2])
    (False, True, True)
    """
    arrays = [np.asarray(each) for each in arguments if hasattr(each, "__array__")]
    return not arrays or any(each.any() for each in arrays)


def narrowest(records: list[Record], dtypes: list[str]) -> str:
    """The dtype with the fewest digits among those of results, and others, that have a point."""
    known = [*dtypes, *(dtype for _, dtype in _specs(records))]
    real = [each for each in known if each.startswith(("float", "bfloat", "complex"))]
    return min(real, key=lambda each: _DIGITS.get(each, _DIGITS_OF_OTHERS), default="float32")


def _specs(records: list[Record]) -> list[tuple[tuple[int, ...], str]]:
    return [read_spec(each) for record in records for each in _each(record[VALUES])]


def _each(values: Any) -> tuple[Any, ...]:
    """The values of a record, of which each is an array or a spec."""
    is_spec = type(values) is tuple and len(values) == 2 and isinstance(values[0], tuple) and type(values[1]) is str
    return values if type(values) is tuple and not is_spec else (values,)


def _ids(record: Record) -> tuple[int, ...]:
    return record[OUTPUTS] if type(record[OUTPUTS]) is tuple else (record[OUTPUTS],)


def _makes_integers(attrs: Any) -> bool:
    """Whether an op makes integers of real numbers."""
    about = dict(attrs or ())
    source, dtype = (str(about.get(name, "")) for name in ("source", "dtype"))
    return source.startswith(("float", "bfloat")) and dtype.startswith(("int", "uint"))
