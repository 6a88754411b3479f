"""The shape of a tensor, as `tf.TensorShape`: a length for each axis, with TensorFlow's repr and methods."""

from __future__ import annotations

import math
from collections.abc import Iterator
from operator import index
from typing import Any, SupportsIndex, overload

Lengths = tuple[int | None, ...]


class TensorShape:
    """A shape: a length for each axis, None if it is unknown. Of `TensorShape(None)` even the rank is unknown.

    It is a sequence, but not a tuple.

    >>> TensorShape([2, 3]), TensorShape([2, 3]) == [2, 3], TensorShape([2, 3]).as_list()
    (TensorShape([2, 3]), True, [2, 3])
    """

    __slots__ = ("_lengths",)

    _lengths: Any  # Lengths | None, though of most tensors a tuple of ints

    def __init__(self, dims: object) -> None:
        if isinstance(dims, TensorShape):
            self._lengths = dims._lengths
        elif dims is None:
            self._lengths = None
        else:
            self._lengths = _lengths_of(dims)

    @staticmethod
    def of_array(value: Any) -> TensorShape:
        """The shape of an array, made quickly, as its lengths need no check."""
        shape = object.__new__(TensorShape)
        shape._lengths = value.shape
        return shape

    # ----- what is known -----

    @property
    def rank(self) -> int | None:
        return None if self._lengths is None else len(self._lengths)

    @property
    def ndims(self) -> int | None:
        return self.rank

    @property
    def dims(self) -> list[int | None] | None:
        return None if self._lengths is None else list(self._lengths)

    def as_list(self) -> list[Any]:
        """The lengths as a list.

        Raises:
            ValueError: the rank is unknown.
        """
        if self._lengths is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._lengths)

    def is_fully_defined(self) -> bool:
        return self._lengths is not None and None not in self._lengths

    def num_elements(self) -> int | None:
        """The product of the lengths; None if one is unknown."""
        return math.prod(self) if self.is_fully_defined() else None

    # ----- two shapes -----

    def is_compatible_with(self, other: object) -> bool:
        """Whether a tensor can have both shapes; None stands for any length."""
        other = TensorShape(other)
        if self._lengths is None or other._lengths is None:
            return True
        return other.rank == self.rank and all(
            a is None or b is None or a == b for a, b in zip(self, other, strict=True)
        )

    def is_subtype_of(self, other: object) -> bool:
        """Whether every tensor of this shape has the other one too."""
        if not isinstance(other, TensorShape):
            return False
        if self._lengths is None or other._lengths is None:
            return other._lengths is None
        return other.rank == self.rank and all(b is None or a == b for a, b in zip(self, other, strict=True))

    def concatenate(self, other: object) -> TensorShape:
        """The shape with the axes of both."""
        other = TensorShape(other)
        known = self._lengths is not None and other._lengths is not None
        return TensorShape((*self._lengths, *other._lengths) if known else None)

    def merge_with(self, other: object) -> TensorShape:
        """The shape with all lengths that are known in either.

        Raises:
            ValueError: they contradict each other.
        """
        other = TensorShape(other)
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        if self._lengths is None or other._lengths is None:
            return other if self._lengths is None else self
        return TensorShape(b if a is None else a for a, b in zip(self, other, strict=True))

    def most_specific_compatible_shape(self, other: object) -> TensorShape:
        """The shape with the lengths that are equal in both, and None for others; no rank if the ranks differ."""
        other = TensorShape(other)
        if other.rank != self.rank or other.rank is None:
            return TensorShape(None)
        return TensorShape(a if a == b else None for a, b in zip(self, other, strict=True))

    # ----- checks -----

    def with_rank(self, rank: int | None) -> TensorShape:
        """The shape, if it has this rank; None is any.

        Raises:
            ValueError: it has another one.
        """
        if rank is None:
            return self
        self.assert_has_rank(rank)
        return TensorShape([None] * rank) if self._lengths is None else self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """The shape, if it has this rank or a higher one.

        Raises:
            ValueError: it has a lower one.
        """
        if self._lengths is not None and len(self) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """The shape, if it has this rank or a lower one.

        Raises:
            ValueError: it has a higher one.
        """
        if self._lengths is not None and len(self) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def assert_has_rank(self, rank: int) -> None:
        """Raise ValueError unless it has this rank."""
        if self.rank not in (rank, None):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_same_rank(self, other: object) -> None:
        """Raise ValueError unless both have the same rank."""
        other = TensorShape(other)
        if None not in (self.rank, other.rank) and self.rank != other.rank:
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def assert_is_compatible_with(self, other: object) -> None:
        """Raise ValueError unless a tensor can have both shapes."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def assert_is_fully_defined(self) -> None:
        """Raise ValueError unless every length is known."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    # ----- as a sequence -----

    def __len__(self) -> int:
        if self._lengths is None:
            raise ValueError("A TensorShape of unknown rank has no len(): TensorShape(None).")
        return len(self._lengths)

    def __iter__(self) -> Iterator[Any]:
        if self._lengths is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self._lengths)

    @overload
    def __getitem__(self, key: SupportsIndex) -> Any: ...
    @overload
    def __getitem__(self, key: slice) -> TensorShape: ...
    def __getitem__(self, key: object) -> Any:
        if self._lengths is not None:
            found = self._lengths[key]
            return TensorShape(found) if isinstance(key, slice) else found
        if not isinstance(key, slice):
            return None
        if key.step is not None:
            raise ValueError("Steps are not yet handled: the rank is unknown.")
        start, stop = key.start or 0, key.stop
        return TensorShape(None if stop is None or start < 0 or stop < 0 else [None] * (stop - start))

    def __add__(self, other: object) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: object) -> TensorShape:
        return TensorShape(other).concatenate(self)

    def __bool__(self) -> bool:
        return self._lengths is not None

    def __eq__(self, other: object) -> bool:
        try:
            return bool(self._lengths == TensorShape(other)._lengths)
        except TypeError:
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self._lengths)

    def __reduce__(self) -> tuple[type[TensorShape], tuple[Any]]:
        return TensorShape, (self._lengths,)

    def __repr__(self) -> str:
        return f"TensorShape({None if self._lengths is None else list(self._lengths)})"

    def __str__(self) -> str:
        return "<unknown>" if self._lengths is None else str(self._lengths)


class OpenShape(TensorShape):
    """What a graph knows of a shape, of which some lengths may be open, and the lengths that a tensor has all the same.

    It equals both: in TensorFlow, shapes that follow from it leave the same lengths open, where here they are known.

    >>> OpenShape([None, 2], (3, 2)), OpenShape([None, 2], (3, 2)) == TensorShape([3, 2])
    (TensorShape([None, 2]), True)
    """

    __slots__ = ("_actual",)

    def __init__(self, dims: object, actual: tuple[int, ...]) -> None:
        super().__init__(dims)
        self._actual = actual

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return OpenShape(found, self._actual[key]) if isinstance(key, slice) else found

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other) or (isinstance(other, TensorShape) and self._actual == other._lengths)

    __hash__ = TensorShape.__hash__


def _lengths_of(dims: Any) -> Lengths:
    """The lengths of all axes; a single number is a shape of one axis."""
    if isinstance(dims, (list, tuple)):
        return tuple(map(_length_of, dims))
    try:
        several = iter(dims)
    except TypeError:
        return (_length_of(dims),)
    lengths = []
    for each in several:
        try:
            lengths.append(_length_of(each))
        except TypeError:
            raise TypeError(f"{dims!r} is no shape, because of {each!r}: write [1, 10, None], or 10.") from None
    return tuple(lengths)


def _length_of(dimension: Any) -> Any:
    """A length as it is given: a number, or None where it is unknown.

    Raises:
        TypeError: no integer.
        ValueError: a negative one.
    """
    if dimension is None:
        return None
    try:
        length = index(dimension)
    except (TypeError, AttributeError):  # the latter of a tensor that holds no integer
        raise TypeError(
            f"The length of an axis is an integer or None, not {dimension!r}: write TensorShape([2, 3])."
        ) from None
    if length < 0:
        raise ValueError(f"The length of an axis is never negative, got {length}: None stands for any length.")
    return length
