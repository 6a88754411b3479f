"""Nested lists, tuples, named tuples, other sequences, dicts, views of these -> their leaves, and back (`tf.nest`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, MappingView, Sequence
from functools import lru_cache
from typing import Any

SEQUENCES: tuple[type[Any], ...] = (Sequence, MappingView)


def is_nested(seq: Any) -> bool:
    """Whether a value is a structure rather than a leaf."""
    return _nests(type(seq))


def _has_leaves(kind: type[Any]) -> bool:
    return (issubclass(kind, (*SEQUENCES, dict)) and not issubclass(kind, (str, bytes))) or hasattr(kind, "keys")


_nests: Callable[[type[Any]], bool] = lru_cache(maxsize=1024)(_has_leaves)  # type: ignore[assignment]  # it is hashable


def _is_flat(structure: Any) -> bool:
    """Whether a value is a list of leaves: the commonest structure."""
    return type(structure) is list and not any(map(_nests, set(map(type, structure))))


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves of a structure, in order; dicts by sorted key. Slices of tensors may be opened up too.

    >>> flatten({"b": [1, 2], "a": (3, {"c": 4})})
    [3, 4, 1, 2]
    """
    if expand_composites:
        return [part for leaf in flatten(structure) for part in _components(leaf)]
    kind = type(structure)
    if not _nests(kind):
        return [structure]
    leaves: list[Any] = []
    for each in structure if kind is list or kind is tuple else _children(structure):
        if _nests(type(each)):
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
        raise TypeError(
            f"Attempted to pack value:\n  {flat_sequence}\ninto a structure, but found incompatible type "
            f"`{type(flat_sequence)}` instead. It must be a list or a tuple."
        )
    if len(flat_sequence) == 1 and not is_nested(structure):
        return flat_sequence[0]
    flat = _is_flat(structure) and not expand_composites
    wanted = len(structure if flat else flatten(structure, expand_composites))
    if wanted != len(flat_sequence):
        raise ValueError(
            f"Could not pack sequence. Structure had {wanted} atoms, but flat_sequence had {len(flat_sequence)} items."
            f"  Structure: {structure}, flat_sequence: {flat_sequence}."
        )
    if flat:
        return list(flat_sequence)
    remaining = iter(flat_sequence)
    return _rebuild(
        structure, _opening(lambda leaf: next(remaining)) if expand_composites else lambda leaf: next(remaining)
    )


def map_structure(func: Callable[..., Any], *structures: Any, **kwargs: Any) -> Any:
    """`func` applied to the corresponding leaves of structures of one shape.

    Raises:
        ValueError: no structure, or structures of different shapes.
        TypeError: structures of different types, unless `check_types=False`; or `func` cannot be called.

    >>> map_structure(lambda a, b: a + b, [1, (2, 3)], [10, (20, 30)])
    [11, (22, 33)]
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func!r}")
    if not structures:
        raise ValueError("Must provide at least one structure")
    if unknown := kwargs.keys() - {"check_types", "expand_composites"}:
        raise ValueError(f"Only valid keyword arguments are `check_types` and `expand_composites`, not: {unknown}")
    if len(structures) == 1:
        return _rebuild(structures[0], _opening(func) if kwargs.get("expand_composites") else func)
    for other in structures[1:]:
        assert_same_structure(structures[0], other, check_types=kwargs.get("check_types", True))
    leaves = [flatten(structure) for structure in structures]
    return pack_sequence_as(structures[0], [func(*each) for each in zip(*leaves, strict=True)])


def _components(leaf: Any) -> list[Any]:
    """What a leaf is made of: itself, unless it is a composite, which names its `components`."""
    return [getattr(leaf, name) for name in _present(leaf)] or [leaf]


def _present(leaf: Any) -> list[str]:
    names: tuple[str, ...] = getattr(type(leaf), "_components", ())
    return [name for name in names if getattr(leaf, name) is not None]


def _opening(func: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """`func` of the components of a leaf, put together again."""

    def opened(leaf: Any) -> Any:
        names = _present(leaf)
        return type(leaf)(**{name: func(getattr(leaf, name)) for name in names}) if names else func(leaf)

    return opened


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False) -> None:
    """Nothing, if two structures differ in their leaves alone.

    Raises:
        ValueError: they differ in shape or in keys.
        TypeError: they differ in the types of their parts.
    """
    try:
        _compare(nest1, nest2, check_types)
    except (ValueError, TypeError) as error:
        outlines = [_rebuild(each, lambda leaf: DOT) for each in (nest1, nest2)]
        raise type(error)(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: {_told(nest1)}\n\nSecond structure: {_told(nest2)}\n\nMore specifically: {error}\n"
            f"Entire first structure:\n{outlines[0]}\nEntire second structure:\n{outlines[1]}"
        ) from None


class _Dot:
    """How a leaf is shown in the outline of a structure."""

    def __repr__(self) -> str:
        return "."


DOT = _Dot()


def _told(structure: Any) -> str:
    return f"type={type(structure).__name__} str={structure}"


def _compare(one: Any, other: Any, check_types: bool) -> None:
    """Nothing, or an error with the place where two structures differ first."""
    if is_nested(one) != is_nested(other):
        sequence, leaf = (one, other) if is_nested(one) else (other, one)
        raise ValueError(f'Substructure "{_told(sequence)}" is a sequence, while substructure "{_told(leaf)}" is not')
    if not is_nested(one):
        return
    if check_types and type(one) is not type(other):
        first, second = (f"structure {_told(each)} has type {type(each).__name__}" for each in (one, other))
        raise TypeError(f"The two namedtuples don't have the same sequence type. First {first}, while second {second}")
    if not isinstance(one, SEQUENCES) and (isinstance(other, SEQUENCES) or set(one) != set(other)):
        first, second = (f"structure has keys {_told(list(each))}" for each in (one, other))
        raise ValueError(f"The two dictionaries don't have the same set of keys. First {first}, while second {second}")
    for each, counterpart in zip(_children(one), _children(other), strict=False):
        _compare(each, counterpart, check_types)
    if len(one) != len(other):
        raise ValueError(
            "The two structures don't have the same number of elements. "
            f"First structure: {_told(one)}. Second structure: {_told(other)}"
        )


def _children(structure: Any) -> list[Any]:
    if isinstance(structure, SEQUENCES):
        return list(structure)
    return [structure[key] for key in sorted(structure)]


def _rebuild(structure: Any, next_leaf: Callable[[Any], Any]) -> Any:
    kind = type(structure)
    if not _nests(kind):
        return next_leaf(structure)
    children = [_rebuild(each, next_leaf) for each in _children(structure)]
    if kind is list or isinstance(structure, (MappingView, range)):
        return children
    if not isinstance(structure, Sequence):
        by_key = dict(zip(sorted(structure), children, strict=True))
        items = ((key, by_key[key]) for key in structure)
        if isinstance(structure, defaultdict):
            return kind(structure.default_factory, items)
        return kind(items)
    if hasattr(structure, "_fields"):
        return kind(*children)
    return kind(children)
