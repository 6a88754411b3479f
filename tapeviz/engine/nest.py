"""Nested lists, tuples, named tuples and dicts -> their leaves, and back (`tf.nest`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any


def is_nested(structure: Any) -> bool:
    """Whether a value is a structure rather than a leaf."""
    return _nests(type(structure))  # type: ignore[arg-type]  # a class is hashable


@lru_cache(maxsize=1024)
def _nests(kind: type[Any]) -> bool:
    return issubclass(kind, (list, tuple, dict)) or hasattr(kind, "keys")


def _is_flat(structure: Any) -> bool:
    """Whether a value is a list of leaves: the commonest structure."""
    return type(structure) is list and not any(map(_nests, map(type, structure)))


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves of a structure, in order; dicts by sorted key.

    >>> flatten({"b": [1, 2], "a": (3, {"c": 4})})
    [3, 4, 1, 2]
    """
    if _is_flat(structure):
        return list(structure)
    if not is_nested(structure):
        return [structure]
    leaves: list[Any] = []
    for each in _children(structure):
        if _nests(type(each)):  # type: ignore[arg-type]
            leaves += flatten(each)
        else:
            leaves.append(each)
    return leaves


def pack_sequence_as(structure: Any, flat_sequence: Sequence[Any], expand_composites: bool = False) -> Any:
    """The leaves in `flat_sequence`, arranged as in `structure`.

    Raises:
        ValueError: the number of leaves differs.

    >>> pack_sequence_as({"a": 0, "b": [0, 0]}, [1, 2, 3])
    {'a': 1, 'b': [2, 3]}
    """
    if not isinstance(flat_sequence, (list, tuple)):
        raise TypeError(f"The flat sequence must be a list or a tuple, got {flat_sequence!r}.")
    if len(flat_sequence) == 1 and not is_nested(structure):
        return flat_sequence[0]
    wanted = len(flatten(structure))
    if wanted != len(flat_sequence):
        raise ValueError(f"The structure has {wanted} leaves, the flat sequence {len(flat_sequence)}.")
    if _is_flat(structure):
        return list(flat_sequence)
    remaining = iter(flat_sequence)
    return _rebuild(structure, lambda leaf: next(remaining))


def map_structure(func: Callable[..., Any], *structures: Any, **kwargs: Any) -> Any:
    """`func` applied to the corresponding leaves of structures of one shape.

    Raises:
        ValueError: no structure, or structures of different shapes.
        TypeError: structures of different types, unless `check_types=False`; or `func` cannot be called.

    >>> map_structure(lambda a, b: a + b, [1, (2, 3)], [10, (20, 30)])
    [11, (22, 33)]
    """
    if not callable(func):
        raise TypeError(f"`func` must be callable, got: {func!r}")
    if not structures:
        raise ValueError("Must provide at least one structure")
    if unknown := kwargs.keys() - {"check_types", "expand_composites"}:
        raise ValueError(f"Only valid keyword arguments are `check_types` and `expand_composites`, not: {unknown}")
    for other in structures[1:]:
        assert_same_structure(structures[0], other, check_types=kwargs.get("check_types", True))
    leaves = [flatten(structure) for structure in structures]
    return pack_sequence_as(structures[0], [func(*each) for each in zip(*leaves, strict=True)])


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False) -> None:
    """Nothing, if two structures differ in their leaves alone.

    Raises:
        ValueError: they differ in shape or in keys.
        TypeError: they differ in the types of their parts.
    """
    if is_nested(nest1) != is_nested(nest2):
        raise ValueError(f"The two structures don't have the same nested structure: {nest1!r} and {nest2!r}.")
    if not is_nested(nest1):
        return
    if check_types and type(nest1) is not type(nest2):
        raise TypeError(f"The two structures don't have the same sequence type: {nest1!r} and {nest2!r}.")
    keyed = not isinstance(nest1, (list, tuple))
    if len(nest1) != len(nest2) or (keyed and set(nest1) != set(nest2)):
        raise ValueError(f"The two structures don't have the same nested structure: {nest1!r} and {nest2!r}.")
    for one, other in zip(_children(nest1), _children(nest2), strict=True):
        assert_same_structure(one, other, check_types)


def _children(structure: Any) -> list[Any]:
    if isinstance(structure, (list, tuple)):
        return list(structure)
    return [structure[key] for key in sorted(structure)]


def _rebuild(structure: Any, next_leaf: Callable[[Any], Any]) -> Any:
    if not is_nested(structure):
        return next_leaf(structure)
    children = [_rebuild(each, next_leaf) if is_nested(each) else next_leaf(each) for each in _children(structure)]
    if type(structure) is list:
        return children
    if not isinstance(structure, (list, tuple)):
        by_key = dict(zip(sorted(structure), children, strict=True))
        items = ((key, by_key[key]) for key in structure)
        if isinstance(structure, defaultdict):
            return type(structure)(structure.default_factory, items)
        return type(structure)(items)
    if hasattr(structure, "_fields"):
        return type(structure)(*children)
    return type(structure)(children)
