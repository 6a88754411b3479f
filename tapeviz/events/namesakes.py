"""Variables that share a name -> longer names that tell them apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from tapeviz.events.types import TensorInfo


def distinct_names(rows: Iterable[TensorInfo], other: Callable[[int], str | None]) -> Iterator[tuple[int, str]]:
    """The variables that take another name, and that name.

    Every layer of a tutorial calls its variables `w` and `b`. `other` is what the program calls the one with an id
    besides, such as `net.first.w`; it is asked of those that share a name, or have one that is the last of a path, and
    counts where no second one has it. A path, as `conv1.weight` is one in a model, is whole as it is.
    """
    variables = [row for row in rows if row.role == "variable" and row.name is not None]
    taken = Counter(row.name for row in variables)
    last = {name.rpartition(".")[2] for name in taken if name is not None and "." in name}
    shared = [row for row in variables if taken[row.name] > 1 or row.name in last]
    others = {row.id: name for row in shared if (name := other(row.id)) is not None}
    asked = Counter(others.values())
    for dense, name in others.items():
        if asked[name] == 1 and name not in taken:
            yield dense, name
