"""The shape of a tensor, as `tf.TensorShape`: a tuple of ints with TensorFlow's repr and methods."""

from __future__ import annotations

import math
from operator import index
from typing import Any


class TensorShape(tuple[int, ...]):
    """A shape: a length for each axis, None where it is unknown. `TensorShape(None)` is not even the rank known of.

    >>> TensorShape([2, 3]), TensorShape([2, 3]) == [2, 3], TensorShape([2, 3]).as_list()
    (TensorShape([2, 3]), True, [2, 3])
    """

    def __new__(cls, dims: Any) -> TensorShape:
        if dims is None:
            return super().__new__(UnknownShape)
        return super().__new__(cls, map(_length, (dims,) if isinstance(dims, int) else dims))

    @staticmethod
    def of_array(value: Any) -> TensorShape:
        """The shape of an array, of whose lengths nothing need be checked."""
        return tuple.__new__(TensorShape, value.shape)

    @property
    def rank(self) -> int | None:
        return len(self)

    @property
    def ndims(self) -> int | None:
        return self.rank

    @property
    def dims(self) -> list[int] | None:
        return list(self)

    def as_list(self) -> list[int]:
        return list(self)

    def num_elements(self) -> int | None:
        """The product of the dimensions, None if one is unknown."""
        return math.prod(self) if self.is_fully_defined() else None

    def is_fully_defined(self) -> bool:
        return None not in self

    def is_compatible_with(self, other: Any) -> bool:
        """Whether both may describe one tensor; None stands for any length."""
        other = TensorShape(other)
        if other.rank is None:
            return True
        return len(other) == len(self) and all(
            a is None or b is None or a == b for a, b in zip(self, other, strict=True)
        )

    def concatenate(self, other: Any) -> TensorShape:
        """The axes of both, one after the other."""
        return self + TensorShape(other)

    def merge_with(self, other: Any) -> TensorShape:
        """What both know together.

        Raises:
            ValueError: they contradict each other.
        """
        other = TensorShape(other)
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        if other.rank is None:
            return self
        return TensorShape(b if a is None else a for a, b in zip(self, other, strict=True))

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """What is the same in both, the other lengths unknown; of shapes of two ranks, nothing."""
        other = TensorShape(other)
        if other.rank != self.rank or other.rank is None:
            return TensorShape(None)
        return TensorShape(a if a == b else None for a, b in zip(self, other, strict=True))

    def with_rank(self, rank: int) -> TensorShape:
        """The shape, if it has this rank.

        Raises:
            ValueError: it has another one.
        """
        if self.rank != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")
        return self

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise ValueError unless both may describe one tensor."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def assert_has_rank(self, rank: int) -> None:
        """Raise ValueError unless it has this rank."""
        self.with_rank(rank)

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (tuple, list)) and tuple(self) == tuple(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return TensorShape(found) if isinstance(index, slice) else found

    def __add__(self, other: Any) -> TensorShape:
        return TensorShape((*self, *other))

    def __repr__(self) -> str:
        return f"TensorShape({list(self)})"

    def __str__(self) -> str:
        inner = ", ".join(map(str, self))
        return f"({inner},)" if len(self) == 1 else f"({inner})"


class UnknownShape(TensorShape):
    """`TensorShape(None)`."""

    @property
    def rank(self) -> None:
        return None

    @property
    def dims(self) -> None:
        return None

    def as_list(self) -> list[int]:
        raise ValueError("as_list() is not defined on an unknown TensorShape.")

    def is_fully_defined(self) -> bool:
        return False

    def is_compatible_with(self, other: Any) -> bool:
        return True

    def merge_with(self, other: Any) -> TensorShape:
        return TensorShape(other)

    def with_rank(self, rank: int) -> TensorShape:
        return TensorShape([None] * rank)

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        return self

    def __bool__(self) -> bool:
        return False

    def __len__(self) -> int:
        raise ValueError("Cannot take the length of shape with unknown rank.")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnknownShape)

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "TensorShape(None)"

    def __str__(self) -> str:
        return "<unknown>"


def _length(dimension: Any) -> Any:
    """A length as it is given: a number, or None where it is unknown.

    Raises:
        TypeError: no integer.
        ValueError: a negative one.
    """
    if dimension is None:
        return None
    try:
        length = index(dimension)
    except TypeError:
        raise TypeError(f"Dimension value must be integer or None, got {dimension!r}.") from None
    if length < 0:
        raise ValueError(f"Dimension {length} must be >= 0")
    return length
