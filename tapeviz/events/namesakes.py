"""Variables that share a name -> longer names that tell them apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from tapeviz.events.types import TensorInfo


def distinct_names(rows: Iterable[TensorInfo], other: Callable[[int], str | None]) -> Iterator[tuple[int, str]]:
    """The variables that take another name, and that name.

    Every layer of a tutorial calls its variables `w` and `b`. A path, as `conv1.weight` is one in a model, is whole also
    where `layer1.0.conv1.weight` ends in it. `other` is what the program calls the one with an id
    besides, such as `net.first.w`; it is asked of those that share a name, and counts where no second one has it.
    """
    variables = [row for row in rows if row.role == "variable" and row.name is not None]
    taken = Counter(row.name for row in variables)
    ends = {end for name in taken for end in _ends(name or "")}
    shared = [row for row in variables if taken[row.name] > 1 or (row.name in ends and "." not in (row.name or ""))]
    others = {row.id: name for row in shared if (name := other(row.id)) is not None}
    asked = Counter(others.values())
    for dense, name in others.items():
        if asked[name] == 1 and name not in taken:
            yield dense, name


def _ends(name: str) -> Iterator[str]:
    """What a longer name ends in: `first.w` and `w` of `net.first.w`."""
    while "." in name:
        name = name.partition(".")[2]
        yield name
