"""The length of one axis, as `TensorShape.dims` lists it: a number, or None where it is unknown."""

from __future__ import annotations

import operator
from collections.abc import Callable
from operator import index
from typing import Any


class Dimension:
    """A length that may be unknown; arithmetic and comparisons with an unknown one give an unknown result.

    Raises:
        TypeError: no integer.
        ValueError: a negative one.

    >>> Dimension(2) + 1, Dimension(2) == 2, Dimension(None) * 3, Dimension(2).value
    (Dimension(3), True, Dimension(None), 2)
    """

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value = length_of(value)

    @property
    def value(self) -> int | None:
        return self._value

    def is_compatible_with(self, other: Any) -> bool:
        """Whether both may be the length of one axis."""
        other = Dimension(other)
        return self._value is None or other._value is None or self._value == other._value

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise ValueError unless both may be the length of one axis."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {Dimension(other)} are not compatible")

    def merge_with(self, other: Any) -> Dimension:
        """The length, if one of the two is known.

        Raises:
            ValueError: they contradict each other.
        """
        self.assert_is_compatible_with(other)
        return Dimension(other) if self._value is None else self

    def _with(self, other: Any, reckon: Callable[[Any, Any], Any]) -> Any:
        """The result of a function of two lengths; None if one is unknown."""
        try:
            values = self._value, Dimension(other)._value
        except (TypeError, ValueError):
            return NotImplemented
        return None if None in values else reckon(*values)

    def __eq__(self, other: object) -> Any:
        return self._with(other, operator.eq)

    def __ne__(self, other: object) -> Any:
        return self._with(other, operator.ne)

    __hash__ = None  # type: ignore[assignment]

    def __truediv__(self, other: Any) -> Any:
        raise _not_divided(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        raise _not_divided(other, self)

    def __index__(self) -> Any:
        return self._value

    def __int__(self) -> Any:
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return f"Dimension({self._value})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)


def _not_divided(one: Any, other: Any) -> TypeError:
    names = " and ".join([repr(type(each).__name__) for each in (one, other)])
    return TypeError(f"unsupported operand type(s) for /: {names}, please use // instead")


def _compared(compare: Callable[[Any, Any], bool]) -> Callable[[Dimension, Any], Any]:
    return lambda self, other: self._with(other, compare)


def _reckoned(reckon: Callable[[Any, Any], int], turned: bool = False) -> Callable[[Dimension, Any], Any]:
    def method(self: Dimension, other: Any) -> Any:
        found = self._with(other, (lambda mine, theirs: reckon(theirs, mine)) if turned else reckon)
        return found if found is NotImplemented else Dimension(found)

    return method


for _name in ("lt", "le", "gt", "ge"):
    setattr(Dimension, f"__{_name}__", _compared(getattr(operator, _name)))
for _name in ("add", "sub", "mul", "floordiv", "mod"):
    setattr(Dimension, f"__{_name}__", _reckoned(getattr(operator, _name)))
    setattr(Dimension, f"__r{_name}__", _reckoned(getattr(operator, _name), turned=True))


def length_of(dimension: Any) -> Any:
    """A length as it is given: a number, or None where it is unknown.

    Raises:
        TypeError: no integer.
        ValueError: a negative one.
    """
    if isinstance(dimension, Dimension):
        return dimension.value
    if dimension is None:
        return None
    try:
        length = index(dimension)
    except (TypeError, AttributeError):  # the latter of a tensor that holds no integer
        raise TypeError(
            "Dimension value must be integer or None or have an __index__ method, got value "
            f"'{dimension!r}' with type '{type(dimension)!r}'"
        ) from None
    if length < 0:
        raise ValueError(f"Dimension {length} must be >= 0")
    return length
