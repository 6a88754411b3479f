"""A structure of specs and a value like it -> what stands at each spec."""

from __future__ import annotations

from typing import Any


def leaves_of(structure: Any, value: Any) -> list[Any]:
    """The parts of a value that stand where a structure has its leaves; lists in it are no structure.

    Raises:
        TypeError, ValueError: it is not so structured: of another kind, or of other parts.

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
