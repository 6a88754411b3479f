"""A value that autograd differentiates -> its arrays and numbers, each with its path and its id.

autograd takes lists, tuples and dictionaries for values of their own. In a log each array in one is a tensor, so a tree
has the shape of the value, and an id in the place of each array.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from autograd.core import SparseObject
from autograd.tracer import getval, isbox

Tree: TypeAlias = Any
"""An id, or a list, a tuple or a dictionary of trees."""


def mapped(value: Any, make: Callable[[Any, str], Any], path: str = "") -> Tree:
    """A tree of what `make` gives for each array or number, and its path, as `['w']` or `[0]`."""
    if isinstance(value, Mapping):
        return {key: mapped(each, make, f"{path}[{key!r}]") for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return tuple([mapped(each, make, f"{path}[{index}]") for index, each in enumerate(value)])
    return make(value, path)


def ids_in(tree: Tree) -> list[int]:
    """The ids of a tree, in order.

    >>> ids_in({"w": 1, "b": (2, 3)})
    [1, 2, 3]
    """
    if isinstance(tree, Mapping):
        return [found for each in tree.values() for found in ids_in(each)]
    return [found for each in tree for found in ids_in(each)] if isinstance(tree, tuple) else [tree]


def paired(tree: Tree, value: Any) -> Iterator[tuple[int, Any]]:
    """Each id of a tree, and what stands in its place in a value of the same shape; None where nothing does."""
    whole = getval(value) if isbox(value) and not isinstance(tree, int) else value
    if isinstance(tree, Mapping):
        for key, each in tree.items():
            yield from paired(each, whole.get(key) if isinstance(whole, Mapping) else None)
    elif isinstance(tree, tuple):
        parts = whole if isinstance(whole, (list, tuple)) and len(whole) == len(tree) else (None,) * len(tree)
        for each, part in zip(tree, parts, strict=True):
            yield from paired(each, part)
    else:
        yield tree, value


def part_of(tree: Tree, key: Any) -> Tree:
    """What stands under a key, an index or a slice; None if nothing does."""
    try:
        return tree[key]
    except (LookupError, TypeError):
        return None


def dense(value: Any) -> Any:
    """A gradient as an array: of a sparse one, which autograd adds to another in place, what it stands for."""
    plain = getval(value)
    return plain.mut_add(plain.vs.zeros()) if isinstance(plain, SparseObject) else plain
