"""Nested lists, tuples, named tuples, other sequences, dicts, views of these -> their leaves, and back (`tf.nest`).

Objects have leaves, too, if their class was made by `attrs`, or has a method `__tf_flatten__`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, MappingView, MutableMapping, Sequence
from functools import lru_cache
from typing import Any

SEQUENCES: tuple[type[Any], ...] = (Sequence, MappingView)
_FIELDS = "__attrs_attrs__"
"""The attribute of a class made by `attrs` with its fields."""


class CompositeTensor:
    """The base of values that consist of tensors. They are leaves, unless `expand_composites`."""

    __slots__ = ()
    _components: tuple[str, ...]
    """The names of its tensors; those that are None are left out."""

    def _parts(self) -> dict[str, Any]:
        return {name: part for name in self._components if (part := getattr(self, name)) is not None}


def is_nested(seq: object) -> bool:
    """Whether a value is a structure, not a leaf."""
    return _nests(type(seq))


def _has_leaves(kind: type[Any]) -> bool:
    if issubclass(kind, (*SEQUENCES, dict)) and not issubclass(kind, (str, bytes)):
        return True
    return hasattr(kind, "keys") or _is_object(kind)


def _is_object(kind: type[Any]) -> bool:
    """Whether a structure is an object, neither a sequence nor a mapping, which its class rebuilds from its parts."""
    return hasattr(kind, _FIELDS) or (hasattr(kind, "__tf_flatten__") and hasattr(kind, "__tf_unflatten__"))


_nests: Callable[[type[Any]], bool] = lru_cache(maxsize=1024)(_has_leaves)  # type: ignore[assignment]  # it is hashable


def _is_flat(structure: object) -> bool:
    """Whether a value is a list of leaves, the most common structure."""
    return type(structure) is list and not any(map(_nests, set(map(type, structure))))


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves of a structure, as a list.

    Args:
        structure: the structure. Dicts are sorted by key.
        expand_composites: whether values that consist of tensors are flattened, too.

    >>> flatten({"b": [1, 2], "a": (3, {"c": 4})})
    [3, 4, 1, 2]
    """
    if expand_composites:
        return [part for leaf in flatten(structure) for part in (_children(leaf) if _is_composite(leaf) else [leaf])]
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
    """A structure with other leaves.

    Args:
        structure: the structure.
        flat_sequence: the leaves, in the order of `flatten`.
        expand_composites: whether there are leaves for the tensors in values that consist of tensors.

    Raises:
        ValueError: there is another number of leaves.
        TypeError: the leaves are not in a sequence.
        KeyError: they are in a dict whose keys are not 0, 1 and so on.

    >>> pack_sequence_as({"a": 0, "b": [0, 0]}, [1, 2, 3])
    {'a': 1, 'b': [2, 3]}
    """
    if not isinstance(flat_sequence, (list, tuple)):
        flat_sequence = _by_place(flat_sequence)
    if len(flat_sequence) == 1 and not _opens(structure, expand_composites):
        return flat_sequence[0]
    if not _opens(structure, expand_composites):
        raise ValueError(
            f"The target structure is of type `{type(structure)}`\n  {structure!s}\nHowever the input is a sequence "
            f"({type(flat_sequence)}) of length {len(flat_sequence)}.\n  {flat_sequence}\nnest cannot guarantee that "
            "it is safe to map one to the other."
        )
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
    return _rebuild(structure, lambda leaf: next(remaining), expand_composites)


def _by_place(leaves: object) -> list[Any]:
    """The items 0, 1 and so on of a sequence or of a dict with these keys."""
    if isinstance(leaves, (str, bytes)) or not isinstance(leaves, (Sequence, Mapping)):
        raise TypeError(
            f"Attempted to pack value:\n  {leaves!s}\ninto a structure, but found incompatible type "
            f"`{type(leaves)}` instead. It must be a list or a tuple."
        )
    return [leaves[place] for place in range(len(leaves))]


def map_structure(func: Callable[..., Any], *structures: Any, **kwargs: Any) -> Any:
    """The results of a function for the corresponding leaves of some structures, in their structure.

    Args:
        func: a function of as many arguments as there are structures.
        structures: structures that are the same except for their leaves.
        kwargs: `check_types=False` to accept different types, and `expand_composites` as for `flatten`.

    Raises:
        ValueError: there is no structure, or they have different shapes.
        TypeError: they have different types, or `func` is not a function.

    >>> map_structure(lambda a, b: a + b, [1, (2, 3)], [10, (20, 30)])
    [11, (22, 33)]
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func!s}")
    if not structures:
        raise ValueError("map_structure needs a structure: map_structure(function, [x, y]).")
    if unknown := kwargs.keys() - {"check_types", "expand_composites"}:
        told = ", ".join(f"`{each}`" for each in kwargs if each in unknown)
        raise ValueError(f"map_structure takes no argument {told}: only check_types and expand_composites go by name.")
    expand = kwargs.get("expand_composites", False)
    if len(structures) == 1:
        return _rebuild(structures[0], func, expand)
    for other in structures[1:]:
        assert_same_structure(structures[0], other, kwargs.get("check_types", True), expand)
    leaves = [flatten(structure, expand) for structure in structures]
    return pack_sequence_as(structures[0], [func(*each) for each in zip(*leaves, strict=True)], expand)


def _is_composite(value: object) -> bool:
    return isinstance(value, CompositeTensor)


def _opens(value: object, expand: bool) -> bool:
    """Whether a value has leaves; composites have some if they are expanded."""
    return _nests(type(value)) or (expand and _is_composite(value))


def assert_same_structure(
    nest1: object, nest2: object, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Check that two structures are the same except for their leaves.

    Args:
        nest1: a structure, as is `nest2`.
        check_types: whether lists, tuples and dicts must be of the same types.
        expand_composites: as for `flatten`.

    Raises:
        ValueError: they have different shapes or keys.
        TypeError: they have different types.
    """
    try:
        _compare(nest1, nest2, check_types, expand_composites)
    except (ValueError, TypeError) as error:
        outlines = [_rebuild(each, lambda leaf: DOT) for each in (nest1, nest2)]
        raise type(error)(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: {_outline(nest1)}\n\nSecond structure: {_outline(nest2)}\n\nMore specifically: {error}\n"
            f"Entire first structure:\n{outlines[0]}\nEntire second structure:\n{outlines[1]}"
        ) from None


class _Dot:
    """A leaf in the outline of a structure."""

    def __repr__(self) -> str:
        return "."


DOT = _Dot()


def _outline(structure: object) -> str:
    return f"type={type(structure).__name__} str={structure!s}"  # by str(): format() shows of a tensor its value alone


def _compare(one: Any, other: Any, check_types: bool, expand: bool) -> None:
    """Raise an error about the first place where two structures differ, if they do."""
    opens = _opens(one, expand)
    if opens != _opens(other, expand):
        sequence, leaf = (one, other) if opens else (other, one)
        raise ValueError(
            f'Substructure "{_outline(sequence)}" is a sequence, while substructure "{_outline(leaf)}" is not'
        )
    if not opens:
        return
    if check_types and not _alike(type(one), type(other)):
        first, second = (f"structure {_outline(each)} has type {type(each).__name__}" for each in (one, other))
        raise TypeError(f"The two namedtuples don't have the same sequence type. First {first}, while second {second}")
    if _is_composite(one) or _is_composite(other):
        if _kinds(one) != _kinds(other):
            raise ValueError(f"Incompatible CompositeTensor TypeSpecs: {_outline(one)} vs. {_outline(other)}")
        return
    unlike = _has_keys(one) and _has_keys(other) and set(one) != set(other)
    if unlike or (_has_keys(one) and isinstance(other, SEQUENCES)):
        first, second = (f"structure has keys {_outline(list(each))}" for each in (one, other))
        raise ValueError(f"The two dictionaries don't have the same set of keys. First {first}, while second {second}")
    ours, theirs = _children(one), _children(other)
    for each, counterpart in zip(ours, theirs, strict=False):
        _compare(each, counterpart, check_types, expand)
    if len(ours) != len(theirs):
        raise ValueError(
            "The two structures don't have the same number of elements. "
            f"First structure: {_outline(one)}. Second structure: {_outline(other)}"
        )


def _alike(one: type[Any], other: type[Any]) -> bool:
    """Whether structures of two types are equivalent: two lists, two mappings, or named tuples with the same fields."""
    if one is other or any(issubclass(one, each) and issubclass(other, each) for each in (list, Mapping)):
        return True
    fields = getattr(one, "_fields", None)
    return fields is not None and (one.__name__, fields) == (other.__name__, getattr(other, "_fields", None))


def _kinds(composite: Any) -> Any:
    """What must be equal in two composites: the names of their tensors and the dtypes of these."""
    if not _is_composite(composite):
        return None
    return {name: getattr(part, "dtype", None) for name, part in composite._parts().items()}


def _has_keys(structure: object) -> bool:
    return not isinstance(structure, SEQUENCES) and not _is_object(type(structure))


def _children(structure: Any) -> list[Any]:
    if _is_composite(structure):
        return list(structure._parts().values())
    if isinstance(structure, SEQUENCES):
        return list(structure)
    if _has_keys(structure):
        return [structure[key] for key in sorted(structure)]
    fields = getattr(structure, _FIELDS, None)
    return list(structure.__tf_flatten__()[1] if fields is None else (getattr(structure, each.name) for each in fields))


def _rebuild(structure: Any, next_leaf: Callable[[Any], Any], expand: bool = False) -> Any:
    kind = type(structure)
    if not _nests(kind):
        if expand and _is_composite(structure):
            return kind(**{name: next_leaf(part) for name, part in structure._parts().items()})
        return next_leaf(structure)
    children = [_rebuild(each, next_leaf, expand) for each in _children(structure)]
    if kind is list or isinstance(structure, (MappingView, range)):
        return children
    if _has_keys(structure):
        return _keyed(structure, dict(zip(sorted(structure), children, strict=True)))
    if hasattr(structure, "_fields") or hasattr(structure, _FIELDS):
        return kind(*children)
    if _is_object(kind):
        return structure.__tf_unflatten__(structure.__tf_flatten__()[0], tuple(children))
    return kind(children)


def _keyed(structure: Any, by_key: dict[Any, Any]) -> Any:
    """A mapping with the type and the order of keys of another one; a mutable one is filled key by key."""
    kind: Any = type(structure)
    items = ((key, by_key[key]) for key in structure)
    if isinstance(structure, MutableMapping):
        made = kind(structure.default_factory) if isinstance(structure, defaultdict) else kind()
        for key, value in items:
            made[key] = value
        return made
    try:
        return kind(items)
    except TypeError as error:
        raise TypeError(
            f"Error creating an object of type {kind} like {structure}. Note that it must accept a single positional "
            f"argument representing an iterable of key-value pairs, in addition to self. Cause: {error}"
        ) from None


def mapped(function: Callable[[Any], Any], value: object) -> Any:
    """The results of a function for each value, in the same tuples.

    >>> mapped(abs, (-1, (-2, -3)))
    (1, (2, 3))
    """
    return tuple([mapped(function, each) for each in value]) if type(value) is tuple else function(value)
