"""Dataclasses of plain values <-> lines of JSON; every entry is checked against the type of its field."""

from __future__ import annotations

import json
import math
from collections import abc
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from json.scanner import make_scanner
from operator import attrgetter
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from tapeviz.phrases import encodable

Counts: TypeAlias = Mapping[str, int]
"""How many rows each table has so far: what an id may point to."""

FieldCheck: TypeAlias = Callable[[Any, Counts], Any]
"""An entry as JSON gives it -> the value of the field; ValueError where it is none."""

LARGEST = 1 << 63
DEEPEST = 16
"""An option of an op is a value in at most so many lists."""

SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
"""Floats that JSON has no number for; they are written as {"float": name}."""


def line(row: Any) -> str:
    """One row, as the name of its class and its fields.

    >>> from tapeviz.events.types import TapeOpened
    >>> line(TapeOpened(tape=0, persistent=False, watch_accessed=True, site=None))
    '["TapeOpened",0,false,true,null]'
    """
    entries = _entries(row)
    try:
        return _encoded(entries)
    except ValueError:  # a NaN or an infinity is among them
        return _encoded(_written(entries))


def _entries(row: Any) -> Sequence[Any]:
    kind: type = type(row)
    get, rows_in = _parts(kind)
    if not rows_in:
        return kind.__name__, *get(row)
    entries = [kind.__name__, *get(row)]
    for at in rows_in:
        entries[at] = _entries(entries[at])
    return entries


@cache
def _parts(kind: type) -> tuple[Callable[[Any], Iterable[Any]], tuple[int, ...]]:
    """What gives the fields of a row, and which of its entries are rows themselves."""
    names = _names(kind)
    one = attrgetter(names[0])
    return attrgetter(*names) if len(names) > 1 else lambda row: (one(row),), _rows_in(kind)


@cache
def _rows_in(kind: type) -> tuple[int, ...]:
    """Which entries of a row are rows themselves."""
    hints = get_type_hints(kind)
    return tuple(at for at, name in enumerate(_names(kind), 1) if is_dataclass(hints[name]))


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _written(value: Any) -> Any:
    """Any value in what strict JSON has."""
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(float(value))}
    if isinstance(value, (list, tuple)):
        return [_written(each) for each in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else _plain(value)


def _plain(value: Any) -> Any:
    """What stands in a file for a value that is not JSON's: an option that is an object is told by its kind."""
    if isinstance(value, complex):
        return {"complex": [_written(value.real), _written(value.imag)]}
    number = value.item() if getattr(value, "shape", None) == () else None
    return f"<{type(value).__name__}>" if type(number) not in (bool, int, float, complex, str) else _written(number)


_scanned = make_scanner(json.JSONDecoder())  # type: ignore[arg-type]  # typeshed asks for a scanner, not for its options
_ENCODER = json.JSONEncoder(check_circular=False, allow_nan=False, separators=(",", ":"), default=_plain)


def _encoder() -> Callable[[Any], str]:
    """What writes strict JSON; `JSONEncoder.encode` makes an encoder for each row, where there is one in C."""
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return _ENCODER.encode
    chunks = make(None, _plain, json.encoder.encode_basestring_ascii, None, ":", ",", False, False, False)
    return lambda entries: "".join(chunks(entries, 0))


_encoded = _encoder()


def row(kinds: Mapping[str, type], text: str | bytes, counts: Counts) -> Any:
    """The row of a line: an instance of one of `kinds`.

    Raises:
        ValueError: no JSON, an unknown kind, or an entry of the wrong type, or an id without its row.
    """
    try:
        entries = _parsed(text.decode() if isinstance(text, bytes) else text)  # json would guess the encoding
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    name = entries[0] if type(entries) is list and entries else None
    if type(name) is not str or name not in kinds:
        raise ValueError(f"it is no row that this version knows: {text[:60]!r}")
    return _row(kinds[name], entries, counts)


def _parsed(text: str) -> Any:
    """What `json.loads` gives; in half the time where no space stands around it, as none does in what `line` wrote."""
    with suppress(StopIteration):
        found, end = _scanned(text, 0)
        if end == len(text):
            return found
    return json.loads(text)


def _row(kind: type, entries: Any, counts: Counts) -> Any:
    checks, least = _form(kind)
    if type(entries) is not list or not least < len(entries) <= 1 + len(checks) or entries[0] != kind.__name__:
        many = f"{least} to {len(checks)}" if least < len(checks) else least
        raise ValueError(f"a {kind.__name__} has {many} entries")
    return kind(*[check(entry, counts) for check, entry in zip(checks, entries[1:], strict=False)])


@cache
def _form(kind: type) -> tuple[tuple[FieldCheck, ...], int]:
    """What checks each field of a class, and how many entries an older file has at least: fields that came later have
    a default."""
    hints = get_type_hints(kind, include_extras=True)
    least = sum(field.default is MISSING and field.default_factory is MISSING for field in fields(kind))
    return tuple(_check(hints[name]) for name in _names(kind)), least


@cache
def references(kind: type) -> tuple[tuple[str, str], ...]:
    """The fields of a class that hold ids, one or a tuple of them, each with the table that they point into.

    >>> from tapeviz.events.types import Pruned
    >>> references(Pruned)
    (('tape', 'tape'), ('tensors', 'tensor'))
    """
    hints = get_type_hints(kind, include_extras=True)
    found = ((name, _pointed(hints[name])) for name in _names(kind))
    return tuple((name, table) for name, table in found if table is not None)


def _pointed(hint: Any) -> str | None:
    """The table that a type's ids point into: of an id, of a tuple of ids, or of either where there may be none."""
    if get_origin(hint) is Annotated:
        table: str = get_args(hint)[1]
        return table
    inner = [each for each in get_args(hint) if each not in (NoneType, Ellipsis)]
    return _pointed(inner[0]) if len(inner) == 1 and get_origin(hint) in (tuple, Union, UnionType) else None


def _check(hint: Any) -> FieldCheck:
    """What checks an entry of one type."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _id_check(inner[1])
    if origin is Literal:
        return _literal_check(inner)
    if origin is tuple:
        return _tuple_check(inner)
    if origin in (Union, UnionType):
        some = [each for each in inner if each is not NoneType]
        return _optional_check(_check(some[0])) if len(some) == 1 else _any_value
    if hint is float:
        return _float
    if origin is abc.Mapping:
        return _mapping_check(_check(inner[1]))
    if is_dataclass(hint) and isinstance(hint, type):
        kind: type = hint
        return lambda value, counts: _row(kind, value, counts)
    return _exact_check(hint)


def _exact_check(kind: type) -> FieldCheck:
    clean = _CLEAN.get(kind)

    def check(value: Any, counts: Counts) -> Any:
        if type(value) is not kind:
            raise ValueError(f"{str(value)[:40]!r} is no {kind.__name__}")
        return value if clean is None else clean(value)

    return check


def _machine_int(value: int) -> int:
    if not -LARGEST <= value < LARGEST:
        raise ValueError("a number of more than 64 bits")
    return value


_CLEAN: Mapping[type, Callable[[Any], Any]] = {int: _machine_int, str: encodable}


def _id_check(table: str) -> FieldCheck:
    def check(value: Any, counts: Counts) -> int:
        if type(value) is not int or not 0 <= value < counts.get(table, 1 << 53):
            raise ValueError(f"there is no {table} {str(value)[:40]}")
        return value

    return check


def _literal_check(words: Sequence[Any]) -> FieldCheck:
    def check(value: Any, counts: Counts) -> Any:
        if value not in words:
            raise ValueError(f"{str(value)[:40]!r} is none of {', '.join(map(str, words))}")
        return value

    return check


def _optional_check(some: FieldCheck) -> FieldCheck:
    return lambda value, counts: None if value is None else some(value, counts)


def _mapping_check(each_check: FieldCheck) -> FieldCheck:
    names = _exact_check(dict)
    return lambda value, counts: {name: each_check(each, counts) for name, each in names(value, counts).items()}


def _tuple_check(inner: Sequence[Any]) -> FieldCheck:
    if inner[-1] is Ellipsis:
        each_check = _check(inner[0])

        def any_length(value: Any, counts: Counts) -> tuple[Any, ...]:
            return tuple([each_check(each, counts) for each in _list(value)])

        return any_length
    checks = [_check(each) for each in inner]

    def fixed_length(value: Any, counts: Counts) -> tuple[Any, ...]:
        if len(_list(value)) != len(checks):
            raise ValueError(f"{len(value)} entries where there are {len(checks)}")
        return tuple([check(each, counts) for check, each in zip(checks, value, strict=True)])

    return fixed_length


def _list(value: Any) -> list[Any]:
    if type(value) is not list:
        raise ValueError(f"{str(value)[:40]!r} is no list")
    return value


def _float(value: Any, counts: Counts) -> float:
    special = _any_value(value, counts)
    if type(special) is int:
        special = float(_machine_int(special))
    if type(special) is not float:
        raise ValueError(f"{str(value)[:40]!r} is no number")
    return special


def _any_value(value: Any, counts: Counts, depth: int = 0) -> Any:
    """An option of an op: whatever JSON holds, lists as tuples, and the floats and complex numbers it has not."""
    if type(value) is list:
        if depth == DEEPEST:
            raise ValueError("a value in more lists than any op has")
        return tuple([_any_value(each, counts, depth + 1) for each in value])
    if type(value) is not dict:
        return encodable(value) if type(value) is str else value
    match value:
        case {"float": str(name), **rest} if name in SPECIAL and not rest:
            return SPECIAL[name]
        case {"complex": [real, imaginary], **rest} if not rest:
            return complex(_float(real, counts), _float(imaginary, counts))
    raise ValueError(f"{str(value)[:40]!r} is no value")
