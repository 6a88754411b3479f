"""The fields of a dataclass -> what checks columns of their values, as JSON gives them, and makes rows of them."""

from __future__ import annotations

import math
from collections import abc, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from itertools import chain, islice, repeat
from types import MemberDescriptorType, NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, Union, get_args, get_origin, get_type_hints

from tapeviz.phrases import encodable

Counts: TypeAlias = Mapping[str, int]
"""How many rows each table has so far: what an id may point to."""

ColumnCheck: TypeAlias = Callable[[Sequence[Any], Counts], Sequence[Any]]
"""Entries as JSON gives them -> the values of a field, in order; ValueError where one is none."""

LARGEST = 1 << 63
DEEPEST = 16
"""An option of an op is a value in at most so many lists."""

SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
"""Floats that JSON has no number for; they are written as {"float": name}."""


class FieldForm(NamedTuple):
    """A field of a class: how to get at it, and what checks its values.

    Where it `repeats`, many rows have the same few values; they are told apart as they are written, if equal values may
    be written in different ways, as 1 and True are.
    """

    name: str
    check: ColumnCheck
    repeats: bool
    is_loose: bool
    holds_rows: bool


@cache
def names(kind: type) -> tuple[str, ...]:
    """The names of the fields of a class."""
    return tuple(field.name for field in fields(kind))


@cache
def form_of(kind: type) -> tuple[FieldForm, ...]:
    """The fields of a class."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple(_field(name, hints[name]) for name in names(kind))


def _field(name: str, hint: Any) -> FieldForm:
    return FieldForm(name, _check(hint), _repeats(hint), _is_loose(hint), is_dataclass(hint))


@cache
def least_of(kind: type) -> int:
    """How many fields an older file has at least: those that came later have a default."""
    return sum(field.default is MISSING and field.default_factory is MISSING for field in fields(kind))


@cache
def references(kind: type) -> tuple[tuple[str, str], ...]:
    """The fields of a class that hold ids, one or a tuple of them, each with the table that they point into.

    >>> from tapeviz.events.types import Pruned
    >>> references(Pruned)
    (('tape', 'tape'), ('tensors', 'tensor'))
    """
    hints = get_type_hints(kind, include_extras=True)
    found = ((name, _pointed(hints[name])) for name in names(kind))
    return tuple((name, table) for name, table in found if table is not None)


def _pointed(hint: Any) -> str | None:
    """The table that a type's ids point into: of an id, of a tuple of ids, or of either where there may be none."""
    if get_origin(hint) is Annotated:
        table: str = get_args(hint)[1]
        return table
    inner = [each for each in get_args(hint) if each not in (NoneType, Ellipsis)]
    return _pointed(inner[0]) if len(inner) == 1 and get_origin(hint) in (tuple, Union, UnionType) else None


class Repeated(list[Any]):
    """The entries of a column of which few are different: each of those is checked once."""

    def __init__(self, of: list[Any], at: list[int]) -> None:
        super().__init__(map(of.__getitem__, at))
        self.of, self.at = of, at


def rows(kind: type, columns: Sequence[Sequence[Any]], counts: Counts) -> list[Any]:
    """Rows of a class, of the columns of their fields.

    Raises:
        ValueError: an entry of the wrong type, or an id without its row.
    """
    return made_of(kind, [field.check(column, counts) for field, column in zip(form_of(kind), columns, strict=False)])


def made_of(kind: type, columns: Sequence[Sequence[Any]]) -> list[Any]:
    """Rows of a class, of the values of their fields: column by column, in less than half of the time that calls of the
    class take, where it has slots and all fields are there.

    >>> from tapeviz.events.types import TapeReset
    >>> made_of(TapeReset, [[3, 4], [7, None]])
    [TapeReset(tape=3, site=7), TapeReset(tape=4, site=None)]
    """
    setters = _setters(kind)
    if not setters or len(setters) != len(columns):
        return list(map(kind, *columns))
    made: list[Any] = list(map(object.__new__, repeat(kind, len(columns[0]))))
    for put, column in zip(setters, columns, strict=True):
        deque(map(put, made, column), maxlen=0)
    return made


@cache
def _setters(kind: type) -> tuple[Callable[[Any, Any], None], ...]:
    """What puts a value into each field of a class, frozen or not; nothing where fields have no slots."""
    slots = [vars(kind).get(name) for name in names(kind)]
    return tuple(each.__set__ for each in slots if isinstance(each, MemberDescriptorType))


def rows_alike(
    kind: type, columns: Sequence[Sequence[Any]], counts: Counts, others: Sequence[Sequence[Any]], known: Sequence[Any]
) -> list[Any]:
    """Rows of a class, as `rows` makes them; those that are as in `others`, columns of as many, are its `known` ones.

    Raises:
        ValueError: as above.

    >>> from tapeviz.events.types import TapeClosed
    >>> before = rows(TapeClosed, [[0, 1]], {"tape": 3})
    >>> after = rows_alike(TapeClosed, [[0, 2]], {"tape": 3}, [[0, 1]], before)
    >>> after, after[0] is before[0]
    ([TapeClosed(tape=0), TapeClosed(tape=2)], True)
    """
    if len(columns) != len(others):
        return rows(kind, columns, counts)
    apart = sorted(set(chain.from_iterable(map(_apart, columns, others))))
    found = list(known)
    for at, row in zip(apart, rows(kind, [[each[at] for at in apart] for each in columns], counts), strict=True):
        found[at] = row
    return found


def _apart(own: Sequence[Any], other: Sequence[Any]) -> Iterable[int]:
    """Where two columns are not written the same."""
    if type(own) is Repeated and type(other) is Repeated:
        mine, theirs = (list(map(repr, each.of)) for each in (own, other))  # what is equal may be written otherwise
        if mine == theirs and own.at == other.at:
            return ()
        own, other = (list(map(names.__getitem__, each)) for names, each in ((mine, own.at), (theirs, other.at)))
    elif own == other:
        return ()
    return [at for at, (one, two) in enumerate(zip(own, other, strict=True)) if one != two]


def columns_of(kind: type, many: Sequence[Any]) -> Sequence[Sequence[Any]]:
    """The columns of rows of a class that are written one by one: lists of its name and their fields.

    Raises:
        ValueError: too few or too many entries.
    """
    form, least = form_of(kind), least_of(kind)
    for entries in many:
        if type(entries) is not list or not least < len(entries) <= 1 + len(form) or entries[0] != kind.__name__:
            wanted = f"{least} to {len(form)}" if least < len(form) else least
            raise ValueError(f"a {kind.__name__} has {wanted} entries")
    return list(zip(*many, strict=True))[1:]


def _check(hint: Any) -> ColumnCheck:
    """What checks the entries of one type; of those that are repeated, each of the different ones."""
    found = _check_of(hint)

    def check(values: Sequence[Any], counts: Counts) -> Sequence[Any]:
        if type(values) is Repeated:
            return list(map(found(values.of, counts).__getitem__, values.at))
        return found(values, counts)

    return check if _repeats(hint) else found


def _check_of(hint: Any) -> ColumnCheck:
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _id_check(inner[1])
    if origin is Literal:
        return _literal_check(inner)
    if origin is tuple:
        return _tuple_check(inner)
    if origin in (Union, UnionType):
        some = [each for each in inner if each is not NoneType]
        return _optional_check(_check_of(some[0])) if len(some) == 1 else _each(_any_value)
    if hint is float:
        return _floats
    if origin is abc.Mapping:
        return _mapping_check(_check_of(inner[1]))
    if is_dataclass(hint) and isinstance(hint, type):
        kind: type = hint
        return lambda values, counts: rows(kind, columns_of(kind, values), counts)
    return _exact_check(hint)


def _each(check: Callable[[Any], Any]) -> ColumnCheck:
    """Of entries that are checked one by one."""
    return lambda values, counts: list(map(check, values))


def _exact_check(kind: type) -> ColumnCheck:
    clean = _CLEAN.get(kind)

    def check(values: Sequence[Any], counts: Counts) -> Sequence[Any]:
        _all_of(kind, values)
        return values if clean is None else clean(values)

    return check


def _all_of(kind: type, values: Iterable[Any]) -> None:
    for value in values:
        if type(value) is not kind:
            raise ValueError(f"{str(value)[:40]!r} is no {kind.__name__}")


def _machine_ints(values: Sequence[int]) -> Sequence[int]:
    if values and not -LARGEST <= min(values) <= max(values) < LARGEST:
        raise ValueError("a number of more than 64 bits")
    return values


def _encodable_texts(values: Sequence[str]) -> Sequence[str]:
    known = {each: encodable(each) for each in set(values)}
    return list(map(known.__getitem__, values))


_CLEAN: Mapping[type, Callable[[Sequence[Any]], Sequence[Any]]] = {int: _machine_ints, str: _encodable_texts}


def _id_check(table: str) -> ColumnCheck:
    def check(values: Sequence[Any], counts: Counts) -> Sequence[int]:
        end = counts.get(table, 1 << 53)
        if values and (set(map(type, values)) - {int} or not 0 <= min(values) <= max(values) < end):
            none = next(each for each in values if type(each) is not int or not 0 <= each < end)
            raise ValueError(f"there is no {table} {str(none)[:40]}")
        return values

    return check


def _literal_check(words: Sequence[Any]) -> ColumnCheck:
    known = {word: word for word in words}
    kinds = set(map(type, words))

    def check(values: Sequence[Any], counts: Counts) -> Sequence[Any]:
        for value in values:
            if type(value) not in kinds or value not in known:
                raise ValueError(f"{str(value)[:40]!r} is none of {', '.join(map(str, words))}")
        return list(map(known.__getitem__, values))

    return check


def _optional_check(some: ColumnCheck) -> ColumnCheck:
    def check(values: Sequence[Any], counts: Counts) -> Sequence[Any]:
        there = [each for each in values if each is not None]
        if len(there) == len(values):
            return some(values, counts)
        found = iter(some(there, counts))
        return [None if each is None else next(found) for each in values]

    return check


def _mapping_check(each_check: ColumnCheck) -> ColumnCheck:
    def check(value: Any, counts: Counts) -> dict[str, Any]:
        _all_of(dict, [value])
        return dict(zip(value, each_check(list(value.values()), counts), strict=True))

    return lambda values, counts: [check(each, counts) for each in values]


def _tuple_check(inner: Sequence[Any]) -> ColumnCheck:
    if inner[-1] is Ellipsis:
        each_check = _check_of(inner[0])

        def any_length(values: Sequence[Any], counts: Counts) -> list[tuple[Any, ...]]:
            found = iter(each_check([*chain.from_iterable(map(as_list, values))], counts))
            return [tuple(islice(found, len(each))) for each in values]

        return any_length
    checks = [_check_of(each) for each in inner]

    def fixed_length(values: Sequence[Any], counts: Counts) -> list[tuple[Any, ...]]:
        for value in values:
            if len(as_list(value)) != len(checks):
                raise ValueError(f"{len(value)} entries where there are {len(checks)}")
        columns = zip(*values, strict=True)
        return list(zip(*(check(each, counts) for check, each in zip(checks, columns, strict=False)), strict=True))

    return fixed_length


def as_list(value: Any) -> list[Any]:
    """An entry that is a list.

    Raises:
        ValueError: it is none.
    """
    if type(value) is not list:
        raise ValueError(f"{str(value)[:40]!r} is no list")
    return value


def _floats(values: Sequence[Any], counts: Counts) -> Sequence[float]:
    return values if set(map(type, values)) <= {float} else list(map(_float, values))


def _float(value: Any) -> float:
    special = _any_value(value)
    if type(special) is int:
        special = float(_machine_ints([special])[0])
    if type(special) is not float:
        raise ValueError(f"{str(value)[:40]!r} is no number")
    return special


def _any_value(value: Any, depth: int = 0) -> Any:
    """An option of an op: whatever JSON holds, lists as tuples, and the floats and complex numbers it has not."""
    if type(value) is list:
        if depth == DEEPEST:
            raise ValueError("a value in more lists than any op has")
        return tuple([_any_value(each, depth + 1) for each in value])
    if type(value) is not dict:
        return encodable(value) if type(value) is str else value
    match value:
        case {"float": str(name), **rest} if name in SPECIAL and not rest:
            return SPECIAL[name]
        case {"complex": [real, imaginary], **rest} if not rest:
            return complex(_float(real), _float(imaginary))
    raise ValueError(f"{str(value)[:40]!r} is no value")


def _repeats(hint: Any) -> bool:
    """Whether many rows have the same few values of a type: words, options, and shapes."""
    origin = get_origin(hint)
    if hint is str or origin is Literal or hint == tuple[int, ...]:
        return True
    return origin in (tuple, Union, UnionType) and any(map(_repeats, get_args(hint)))


def _is_loose(hint: Any) -> bool:
    """Whether equal values of a type may be written in different ways."""
    return hint in (bool, float) or any(map(_is_loose, get_args(hint)))
