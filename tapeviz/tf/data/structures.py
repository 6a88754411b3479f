"""The structures of elements, in which lists are leaves, and what stands for None in them."""

from __future__ import annotations

from typing import Any


def leaves_of(structure: Any, value: Any) -> list[Any]:
    """The parts of a value in the places of the leaves of a structure; lists are leaves.

    Raises:
        TypeError: the value has another type of structure.
        ValueError: it has other parts.

    >>> leaves_of(("x", {"y": "z"}), ([1, 2], {"y": 3}))
    [[1, 2], 3]
    """
    if isinstance(structure, dict):
        if not isinstance(value, dict) or value.keys() != structure.keys():
            raise _unlike(dict, value)(f"A dict with the keys {list(structure)} is expected, got {value!r}.")
        return [leaf for key in sorted(structure) for leaf in leaves_of(structure[key], value[key])]
    if isinstance(structure, tuple):
        if not isinstance(value, tuple) or len(value) != len(structure):
            raise _unlike(tuple, value)(f"A tuple of {len(structure)} is expected, got {value!r}.")
        return [leaf for part, each in zip(structure, value, strict=True) for leaf in leaves_of(part, each)]
    return [value]


def _unlike(kind: type, value: Any) -> type[Exception]:
    return ValueError if isinstance(value, kind) else TypeError


class Nothing(tuple[()]):
    """What stands for a None in an element, and for its spec: a structure without leaves, which no step changes.

    >>> NOTHING
    NoneTensorSpec()
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "NoneTensorSpec()"


NOTHING = Nothing()


def shown(element: Any) -> Any:
    """An element as the user gets it, with None in place of `NOTHING`.

    >>> shown((1, {"a": NOTHING}))
    (1, {'a': None})
    """
    if not _lacks(element):
        return element
    if type(element) is Nothing:
        return None
    if isinstance(element, dict):
        return type(element)((key, shown(each)) for key, each in element.items())
    parts = [shown(each) for each in element]
    return type(element)(*parts) if hasattr(element, "_fields") else tuple(parts)


def _lacks(element: Any) -> bool:
    """Whether there is a `NOTHING` in an element."""
    if isinstance(element, dict):
        return any(map(_lacks, element.values()))
    return type(element) is Nothing or (isinstance(element, tuple) and any(map(_lacks, element)))
