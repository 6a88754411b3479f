"""A JSON value -> the same value by columns: every key and every text of it once, however long its lists are.

The values of one key, over all records of a list, are one column. A column is a plain array of its values (numbers, or
what has no shape in common), or an object that says by its keys how they were written down:

    {"same": value}                        all values are this one
    {"null": true}                         all are null: of an object, the kernels of browsers lose the keys that are
    {"runs": count, "times": column, "of": column}      each value of the last so often, running
    {"text": indices}                      texts, by their place in the table of texts, most used first; -1 for null
    {"flags": "0110"}                      true and false
    {"steps": differences}                 integers, each by its distance to the one before
    {"rows": {key: column}}                records with the same keys
    {"lengths": column, "of": column}      lists, one after the other; a length of -1 for null
    {"sizes": column, "keys": column, "of": column}     objects whose keys are numbers

`frontend/columns.js` reads it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, chain, groupby
from operator import itemgetter, ne
from types import NoneType
from typing import Any

import numpy as np

LEAST_IN_RUNS = 24
EXACT = 1 << 53
"""JavaScript adds up smaller integers than this exactly."""
POWERS = np.array([0, *(10**digits for digits in range(1, 17))])
"""From each of these on, an integer has one digit more."""

_SHAPES: dict[type, type] = {tuple: list}


def pack(value: Any) -> dict[str, Any]:
    """A JSON value by columns; `unpack` gives it back.

    >>> pack([{"name": "sin", "at": 7}, {"name": "sin", "at": 9}])["value"]["of"]
    {'rows': {'name': {'same': 'sin'}, 'at': [7, 9]}}
    """
    texts = _Texts()
    return {"value": _column([value], texts), "texts": texts.sorted()}


class _Texts:
    """The table of texts, while columns are made that point into it."""

    def __init__(self) -> None:
        self._uses: Counter[str | None] = Counter()
        self._columns: list[list[Any]] = []

    def column(self, values: Sequence[str | None]) -> list[Any]:
        """The texts themselves, until `sorted` puts their places there."""
        self._uses.update(values)
        self._columns.append(list(values))
        return self._columns[-1]

    def sorted(self) -> list[str]:
        """The table; places of one digit go to what is used most."""
        table = [text for text, _ in self._uses.most_common() if text is not None]
        places: dict[str | None, int] = {text: place for place, text in enumerate(table)}
        places[None] = -1
        for column in self._columns:
            column[:] = [places[each] for each in column]
        return table


def _column(values: Sequence[Any], texts: _Texts) -> Any:
    types = set(map(type, values))
    kinds = {_SHAPES.get(kind, kind) for kind in types} - {NoneType}
    there = [each for each in values if each is not None] if kinds & {dict, list} else []
    if len(kinds) > 1 and there:
        return list(values)
    if kinds == {dict}:
        return _map(values, texts) if _is_map(there) else _rows(values, there, texts)
    if kinds == {list}:
        lengths = [-1 if each is None else len(each) for each in values]
        return {"lengths": _column(lengths, texts), "of": _column([*chain.from_iterable(there)], texts)}
    if len(values) > 1 and len(types) == 1 and all(map(values[0].__eq__, values)):
        return {"null": True} if values[0] is None else {"same": values[0]}
    if len(values) >= LEAST_IN_RUNS and len(kinds) < 2 and sum(map(ne, values, values[1:])) < len(values) // 6:
        runs = [(value, len(list(run))) for value, run in groupby(values)]
        times, each = [often for _, often in runs], [value for value, _ in runs]
        return {"runs": len(runs), "times": _column(times, texts), "of": _column(each, texts)}
    if kinds == {str}:
        return {"text": texts.column(values)}
    if types == {bool}:
        return {"flags": "".join("01"[each] for each in values)}
    return _integers(values) if types == {int} else list(values)


def _integers(values: Sequence[int]) -> Any:
    """Integers by their differences, where those are shorter."""
    if len(values) < 3 or not -EXACT < min(values) <= max(values) < EXACT:
        return list(values)
    numbers = np.array(values)
    steps = np.diff(numbers, prepend=0)
    return {"steps": steps.tolist()} if _written(steps) < _written(numbers) else list(values)


def _written(numbers: np.ndarray[Any, Any]) -> int:
    """How many characters integers take."""
    return int(np.searchsorted(POWERS, np.abs(numbers), side="right").sum() + np.count_nonzero(numbers < 0))


def _is_map(values: Sequence[dict[str, Any]]) -> bool:
    return all(map(str.isdigit, chain.from_iterable(values)))


def _map(values: Sequence[Any], texts: _Texts) -> dict[str, Any]:
    sizes = [-1 if each is None else len(each) for each in values]
    there = [each for each in values if each is not None]
    keys, items = [*map(int, chain.from_iterable(there))], [*chain.from_iterable(map(dict.values, there))]
    return {"sizes": _column(sizes, texts), "keys": _column(keys, texts), "of": _column(items, texts)}


def _rows(values: Sequence[Any], there: Sequence[dict[str, Any]], texts: _Texts) -> Any:
    """Records, where all have the same keys; one that is null has its place in a column of its own."""
    keys = there[0].keys()
    if not all(map(keys.__eq__, map(dict.keys, there))):
        return list(values)
    packed: dict[str, Any] = {"rows": {key: _column([*map(itemgetter(key), there)], texts) for key in keys}}
    if len(there) < len(values):
        packed["there"] = _column([int(each is not None) for each in values], texts)
    return packed


def unpack(packed: dict[str, Any]) -> Any:
    """The value that was packed.

    >>> unpack(pack({"a": [1, None], "b": {"7": "x"}}))
    {'a': [1, None], 'b': {'7': 'x'}}
    """
    return _values(packed["value"], 1, packed["texts"])[0]


def _values(column: Any, count: int, texts: Sequence[str]) -> list[Any]:
    """The `count` values of a column."""
    if isinstance(column, list):
        return column
    if "null" in column:
        return [None] * count
    if "same" in column:
        return [column["same"]] * count
    if "runs" in column:
        times = _values(column["times"], column["runs"], texts)
        each = _values(column["of"], column["runs"], texts)
        return [value for value, often in zip(each, times, strict=True) for _ in range(often)]
    if "text" in column:
        return [None if each < 0 else texts[each] for each in column["text"]]
    if "flags" in column:
        return [each == "1" for each in column["flags"]]
    if "steps" in column:
        return list(accumulate(column["steps"]))
    if "rows" in column:
        return _records(column, count, texts)
    sizes = _values(column["sizes" if "keys" in column else "lengths"], count, texts)
    total = sum(max(0, each) for each in sizes)
    items = iter(_values(column["of"], total, texts))
    if "keys" not in column:
        return [None if size < 0 else [next(items) for _ in range(size)] for size in sizes]
    keys = iter(_values(column["keys"], total, texts))
    return [None if size < 0 else {str(next(keys)): next(items) for _ in range(size)} for size in sizes]


def _records(column: dict[str, Any], count: int, texts: Sequence[str]) -> list[Any]:
    there = _values(column["there"], count, texts) if "there" in column else [1] * count
    by_key = {key: iter(_values(each, sum(there), texts)) for key, each in column["rows"].items()}
    return [{key: next(each) for key, each in by_key.items()} if present else None for present in there]
