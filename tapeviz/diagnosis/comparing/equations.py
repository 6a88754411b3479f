"""Two gradients -> the equation between them: equal, a factor, a sign, a transpose, some rows, or none.

Both are arrays of one tensor's gradient, with the difference that rounding allows between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import inf, isfinite
from typing import Any, Literal, TypeAlias

import numpy as np

from tapeviz.events.summary import norm
from tapeviz.phrases import listed

Array: TypeAlias = "np.ndarray[Any, Any]"
EquationKind: TypeAlias = Literal[
    "equal", "rounding", "factor", "zero", "transposed", "swapped", "rows", "shape", "not finite", "other"
]
"""rounding: it is so small beside the other gradients that their rounding may be all of it."""

DENOMINATOR, LARGEST = 16, 4096
"""The largest denominator of a factor that is told as a fraction, and that of one over a whole number."""
MOST_AXES = 5
"""Up to how many axes all orders of them are tried."""
MOST_ROWS = 0.5
"""The share of rows up to which a difference is one of rows."""
FACTOR_ROOM = 0.02
"""How much of the difference between two gradients an equation must explain: all but this, or but for rounding."""


@dataclass(frozen=True)
class Equation:
    """How a gradient `b` is made of another one, `a`.

    `distance` is the norm of `b - a`, and `allowed` what rounding may make it, both relative to the longer of the two.
    `factor` is that of a factor; `axes` the order of `a`'s axes that makes it `b`, of a transpose. Of rows, `axis` and
    `rows` say where the two differ, and `factor` by how much, if that is one number; `other` is the tensor whose
    gradient `b` is, of a swap.
    """

    kind: EquationKind
    distance: float
    allowed: float
    factor: float | None = None
    axes: tuple[int, ...] = ()
    axis: int = 0
    rows: tuple[int, ...] = ()
    other: str | None = None
    shapes: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())

    @property
    def same(self) -> bool:
        """Whether nothing is known to differ."""
        return self.kind in ("equal", "rounding")

    def text(self, one: str, other: str, name: str) -> str:
        """The equation in words; `one` and `other` are what the two sides are called, `name` the tensor."""
        match self.kind:
            case "equal":
                return "equal" if not self.distance else f"equal but for rounding, {self._apart}"
            case "rounding":
                return "nothing but rounding: the other gradients are so large that theirs may be all of it"
            case "factor":
                return f"{other} = {factor_text(self.factor)} {one}".replace("= -1 x ", "= -")
            case "zero":
                return f"zero in {one if self.factor else other} alone"
            case "transposed":
                return f"{other} is {one} {_order(self.axes)}"
            case "swapped":
                return f"{name} has in {other} the gradient that {self.other} has in {one}"
            case "rows":
                return f"equal but for {self._where}{self._by(one, other)}"
            case "shape":
                return f"of shape {self.shapes[0]} in {one}, {self.shapes[1]} in {other}"
            case "not finite":
                return "NaN or infinite in other entries" if self.factor is None else "NaN or infinite in both"
        return f"no equation: {self._apart}"

    @property
    def _apart(self) -> str:
        return f"{self.distance:.1e} apart where rounding makes up to {self.allowed:.1e}"

    @property
    def _where(self) -> str:
        which = listed([str(each) for each in self.rows])
        if self.axis > 1:
            return f"{which} along axis {self.axis}"
        what = ("row", "column")[self.axis]
        return f"{what if len(self.rows) == 1 else f'{what}s'} {which}"

    def _by(self, one: str, other: str) -> str:
        if self.factor is None:
            return ""
        if not self.factor or self.factor == inf:
            return f", zero in {other if not self.factor else one}"
        return f", where {other} = {factor_text(self.factor)} {one}"


def factor_text(factor: float | None) -> str:
    """A factor in a formula: a fraction where it is one.

    >>> factor_text(4.0), factor_text(1 / 3), factor_text(1.001), factor_text(-1.0)
    ('4.0 x', '1/3 x', '1.001 x', '-1 x')
    """
    if factor is None:
        return "?"
    found = fraction(factor, 1e-9)
    if found is None or factor == -1:
        return f"{factor:.5g} x"
    return f"{float(found):.1f} x" if found.denominator == 1 else f"{found} x"


def fraction(number: float, within: float) -> Fraction | None:
    """The plain fraction that a number is but for a relative error: a whole number, one over one, or of few parts.

    >>> fraction(0.375, 1e-6), fraction(1 / 300, 1e-6), fraction(104 / 47, 1e-6)
    (Fraction(3, 8), Fraction(1, 300), None)
    """
    if not number or not isfinite(number):
        return None
    inverse = 1 / Fraction(1 / number).limit_denominator(1) if abs(number) <= 0.5 else Fraction(0)
    tried = Fraction(number).limit_denominator(1), inverse, Fraction(number).limit_denominator(DENOMINATOR)
    fits = (each for each in tried if abs(float(each) - number) <= within * abs(number))
    return next((each for each in fits if max(abs(each.numerator), each.denominator) <= LARGEST), None)


def equation(a: Array, b: Array, error: float, floor: float = 0.0, *, ported: bool = False) -> Equation:
    """The equation between two gradients of one tensor.

    Args:
        a: the one, as an array of numbers.
        b: the other.
        error: how far rounding may put the two apart, relative to the norm of the longer.
        floor: a norm of a difference that rounding alone may make, however small the two are.
        ported: whether axes in another order are the layout of another framework, and no difference.

    >>> a = np.arange(6.0).reshape(2, 3)
    >>> equation(a, 4 * a, 1e-6).factor, equation(a, a + 1e-9, 1e-6).kind, equation(a, a.T, 1e-6).kind
    (4.0, 'equal', 'transposed')
    """
    a, b = _wide(a), _wide(b)
    if a.shape != b.shape:
        return _of_other_shapes(a, b, error, ported)
    known = np.isfinite(a) & np.isfinite(b)
    if not known.all():
        alike = np.array_equal(np.isfinite(a), np.isfinite(b)) and _is_near(a[known], b[known], error, floor)
        return Equation("equal" if alike else "not finite", inf, error)
    size, apart = max(norm(a), norm(b)), norm(b - a)
    distance = apart / size if size else 0.0
    if distance <= error:
        return Equation("equal", distance, error)
    explained = max(error, FACTOR_ROOM * distance)
    for find in (_zero, _by_factor, _in_rows, _transposed):
        found = find(a, b, explained, error)
        if found is not None and not (apart <= floor and found.kind != "factor"):
            return found
    if apart <= floor:
        return Equation("rounding", distance, error)
    return Equation("other", distance, error)


def swapped(pairs: Mapping[str, tuple[Array, Array, float]]) -> Iterator[tuple[str, Equation]]:
    """The tensors whose gradient in `b` is that of another tensor in `a`: by name `a`, `b` and what rounding allows."""
    for name, (a, b, error) in pairs.items():
        for other, (theirs, _, _) in pairs.items():
            fits = other != name and theirs.shape == np.shape(b) and norm(theirs)
            if fits and _is_near(_wide(theirs), _wide(b), error, 0.0):
                apart = norm(_wide(b) - _wide(a)) / max(norm(a), norm(b)) if np.shape(a) == np.shape(b) else inf
                yield name, Equation("swapped", apart, error, other=other)
                break


def weights(whole: Array, parts: Sequence[Array], error: float) -> tuple[float, ...] | None:
    """The weights with which the parts of a sum give a whole; None where none do, or more than one set of them.

    >>> parts = [np.array([1.0, 0.0, 2.0]), np.array([0.0, 1.0, 1.0])]
    >>> [round(each, 6) for each in weights(np.array([5.0, 3.0, 13.0]) / 8, parts, 1e-6) or ()]
    [0.625, 0.375]
    """
    columns = np.stack([_wide(each).ravel() for each in parts], axis=1)
    sizes = np.linalg.norm(columns, axis=0)
    if columns.shape[0] < columns.shape[1] or not sizes.all() or not np.isfinite(columns).all():
        return None
    found, _, rank, singular = np.linalg.lstsq(columns / sizes, _wide(whole).ravel(), rcond=None)
    if rank < len(parts) or singular[-1] < 1e3 * error * singular[0]:
        return None
    solved = found / sizes
    if not _is_near(columns @ solved, _wide(whole).ravel(), error, 0.0):
        return None
    return tuple(float(each) for each in solved)


# ----- the kinds of equations, the plainest first -----

_Find: TypeAlias = Callable[[Array, Array, float, float], "Equation | None"]


def _zero(a: Array, b: Array, explained: float, error: float) -> Equation | None:
    """One of the two is zero everywhere; `factor` is 0 where it is `b`, and infinite where it is `a`."""
    if a.any() and b.any():
        return None
    return Equation("zero", 1.0, error, factor=0.0 if a.any() else inf)


def _by_factor(a: Array, b: Array, explained: float, error: float) -> Equation | None:
    factor = _factor(a, b, explained)
    if factor is None:
        return None
    return Equation("factor", norm(b - a) / max(norm(a), norm(b)), error, factor=_plain(factor, error))


def _in_rows(a: Array, b: Array, explained: float, error: float) -> Equation | None:
    """The two are equal but for some entries along an axis."""
    size = max(norm(a), norm(b))
    for axis in range(a.ndim):
        if a.shape[axis] < 2:
            continue
        others = tuple(each for each in range(a.ndim) if each != axis)
        apart = np.sqrt(np.square(np.abs(b - a)).sum(axis=others))
        sizes = np.sqrt(np.square(np.maximum(np.abs(a), np.abs(b))).sum(axis=others))
        differ = apart > error * np.maximum(sizes, size / np.sqrt(a.shape[axis]))
        if 0 < np.count_nonzero(differ) <= MOST_ROWS * differ.size:
            rows = np.flatnonzero(differ)
            mine, theirs = a.take(rows, axis), b.take(rows, axis)
            factor = _row_factor(mine, theirs, explained, error)
            distance = norm(b - a) / size
            return Equation("rows", distance, error, factor, axis=axis, rows=tuple(rows.tolist()))
    return None


def _row_factor(mine: Array, theirs: Array, explained: float, error: float) -> float | None:
    if not theirs.any() or not mine.any():
        return 0.0 if mine.any() else inf
    factor = _factor(mine, theirs, explained)
    return None if factor is None else _plain(factor, error)


def _transposed(a: Array, b: Array, explained: float, error: float) -> Equation | None:
    if not 1 < a.ndim <= MOST_AXES:
        return None
    for axes in permutations(range(a.ndim)):
        turned = a.transpose(axes)
        if axes != tuple(range(a.ndim)) and turned.shape == b.shape and _is_near(turned, b, error, 0.0):
            return Equation("transposed", norm(b - a) / max(norm(a), norm(b)), error, axes=axes)
    return None


def _of_other_shapes(a: Array, b: Array, error: float, ported: bool) -> Equation:
    """Of the same entries in another order of axes, or of arrays of which nothing is alike."""
    if sorted(a.shape) == sorted(b.shape) and a.ndim <= MOST_AXES:
        for axes in permutations(range(a.ndim)):
            turned = a.transpose(axes)
            if turned.shape == b.shape and (found := equation(turned, b, error)).kind in ("equal", "factor"):
                if ported or found.kind == "factor":
                    return found
                return Equation("transposed", inf, error, axes=axes)
    if ported and a.size == b.size and _is_near(a.ravel(), b.ravel(), error, 0.0):
        return Equation("equal", 0.0, error)
    return Equation("shape", inf, error, shapes=(a.shape, b.shape))


def _factor(a: Array, b: Array, explained: float) -> float | None:
    """The number that makes `a` to `b`; None where that leaves more than is to be explained."""
    across = np.vdot(a, b)
    factor = across / np.vdot(a, a).real
    if abs(factor.imag) > explained * abs(factor) or not isfinite(factor.real) or not factor.real:
        return None
    left = norm(b - factor.real * a)
    return float(factor.real) if left <= explained * min(norm(b), abs(factor.real) * norm(a)) else None


def _plain(factor: float, error: float) -> float:
    """The fraction that a factor is but for rounding, if there is one."""
    near = fraction(factor, error)
    return factor if near is None else float(near)


def _is_near(a: Array, b: Array, error: float, floor: float) -> bool:
    return norm(b - a) <= max(error * max(norm(a), norm(b)), floor)


def _order(axes: tuple[int, ...]) -> str:
    return "transposed" if axes == (1, 0) else f"with its axes in the order {axes}"


def _wide(array: Array) -> Array:
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64, copy=False)
