"""Dataclasses of plain values <-> lines of JSON, one row or many a line; all is checked against the types of fields.

A row is a list: the name of its class, and its fields. Many rows of a class are a list of such lists turned round: the
name, and a column for each field. The values of a field that `repeats` are written once each in a column: its entries
are a list of them and, per row, which of them it is.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from json.scanner import make_scanner
from operator import attrgetter
from typing import Any, NamedTuple

from tapeviz.events.store.columns import Counts, Repeated, as_list, columns_of, form_of, least_of, names, rows

# ----- to lines -----


def line(row: Any) -> str:
    """One row, as the name of its class and its fields.

    >>> from tapeviz.events.types import TapeOpened
    >>> line(TapeOpened(tape=0, persistent=False, watch_accessed=True, site=None))
    '["TapeOpened",0,false,true,null]'
    """
    return _text(_entries(row))


def line_of_many(rows: Sequence[Any]) -> str:
    """Many rows: per row the number of its class, and per class its name and the columns of its fields.

    >>> from tapeviz.events.types import RecordingResumed, TapeClosed
    >>> line_of_many([TapeClosed(0), RecordingResumed(0), TapeClosed(1)])
    '[[0,1,0],["TapeClosed",[0,1]],["RecordingResumed",[0]]]'
    """
    groups: dict[type, list[Any]] = {}
    for each in rows:
        groups.setdefault(type(each), []).append(each)
    numbers = {kind: number for number, kind in enumerate(groups)}
    order = [numbers[type(each)] for each in rows]
    return _text([order, *([kind.__name__, *_columns(kind, those)] for kind, those in groups.items())])


def _text(entries: Any) -> str:
    try:
        return _encoded(entries)
    except ValueError:  # a NaN or an infinity is among them
        return _encoded(_written(entries))


def _entries(row: Any) -> list[Any]:
    kind: type = type(row)
    entries = [kind.__name__, *_getter(kind)(row)]
    for at in _rows_in(kind):
        entries[at] = _entries(entries[at])
    return entries


def _columns(kind: type, rows: Sequence[Any]) -> Iterator[list[Any]]:
    for field in form_of(kind):
        values = list(map(attrgetter(field.name), rows))
        if field.holds_rows:
            values = list(map(_entries, values))
        yield _places(values, field.is_loose) if field.repeats else values


def _places(values: list[Any], is_loose: bool) -> list[Any]:
    """The values, each once, and per row which of them it is."""
    keys = list(map(_text, values)) if is_loose else values
    of: dict[Any, int] = {}
    at = [of.setdefault(key, len(of)) for key in keys]
    return [list(dict(zip(keys, values, strict=True)).values()) if is_loose else list(of), at]


@cache
def _getter(kind: type) -> Callable[[Any], Iterable[Any]]:
    """What gives the fields of a row."""
    fields = names(kind)
    one = attrgetter(fields[0])
    return attrgetter(*fields) if len(fields) > 1 else lambda row: (one(row),)


@cache
def _rows_in(kind: type) -> tuple[int, ...]:
    """Which entries of a row are rows themselves."""
    return tuple(at for at, field in enumerate(form_of(kind), 1) if field.holds_rows)


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


# ----- from lines -----


def parsed(text: str | bytes) -> list[Any]:
    """The entries of a line: of a row, or of many, of which the first is a list.

    Raises:
        ValueError: it is no line of either.
    """
    try:
        entries = _parsed(text.decode() if isinstance(text, bytes) else text)  # json would guess the encoding
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if type(entries) is not list or not entries or type(entries[0]) not in (str, list):
        raise ValueError(f"it is no row that this version knows: {text[:60]!r}")
    return entries


def _parsed(text: str) -> Any:
    """What `json.loads` gives; in half the time where no space stands around it, as none does in what `line` wrote."""
    with suppress(StopIteration):
        found, end = _scanned(text, 0)
        if end == len(text):
            return found
    return json.loads(text)


class LineRows(NamedTuple):
    """The rows of a line, of which nothing is checked yet but their form: per row the number of its class, and the
    classes, each with as many rows and the columns of their fields."""

    order: Sequence[int]
    groups: Sequence[tuple[type, int, Sequence[Sequence[Any]]]]

    def checked(self, counts: Counts) -> list[tuple[type, Iterator[Any]]]:
        """The classes, by their numbers, each with its rows.

        Raises:
            ValueError: an entry of the wrong type, or an id without its row.
        """
        return [(kind, iter(rows(kind, columns, counts))) for kind, _, columns in self.groups]


def rows_of(kinds: Mapping[str, type], text: str | bytes) -> LineRows:
    """The rows of a line, one or many, each an instance of one of `kinds`.

    Raises:
        ValueError: it is no line of either form, or there are too few or too many entries or columns.
    """
    first, *others = parsed(text)
    if type(first) is str:
        kind = kind_of(kinds, first)
        return LineRows([0], [(kind, 1, columns_of(kind, [[first, *others]]))])
    groups = [_group(kinds, each) for each in others]
    times = Counter(first) if set(map(type, first)) <= {int} else None
    if times != {number: count for number, (_, count, _) in enumerate(groups)}:
        raise ValueError("rows of several classes that do not say how they follow on each other")
    return LineRows(first, groups)


def _group(kinds: Mapping[str, type], entries: Any) -> tuple[type, int, list[list[Any]]]:
    """The rows of one class."""
    kind = kind_of(kinds, (as_list(entries) or [None])[0])
    columns = columns_of_many(kind, entries)
    return kind, len(columns[0]), columns


def columns_of_many(kind: type, entries: list[Any]) -> list[list[Any]]:
    """The columns of rows of one class, as a line of many has them: after its name.

    Raises:
        ValueError: too few or too many columns, or of several lengths.
    """
    _, *columns = entries
    form = form_of(kind)
    if not least_of(kind) <= len(columns) <= len(form):
        raise ValueError(f"a {kind.__name__} of {len(columns)} columns")
    columns = [_repeated(each) if field.repeats else as_list(each) for field, each in zip(form, columns, strict=False)]
    if len(set(map(len, columns))) != 1:
        raise ValueError(f"a {kind.__name__} with columns of several lengths")
    return columns


def _repeated(entries: Any) -> list[Any]:
    """The entries of a column that tells each value once."""
    parts = as_list(entries)
    if len(parts) != 2:
        raise ValueError("a column that is not of values and places")
    of, at = map(as_list, parts)
    if set(map(type, at)) - {int} or not (not at or 0 <= min(at) <= max(at) < len(of)):
        raise ValueError("a column with places where there is no value")
    return Repeated(of, at)


def kind_of(kinds: Mapping[str, type], name: Any) -> type:
    """The class of a name.

    Raises:
        ValueError: there is none.
    """
    if type(name) is not str or name not in kinds:
        raise ValueError(f"it is no row that this version knows: {str(name)[:60]!r}")
    return kinds[name]
