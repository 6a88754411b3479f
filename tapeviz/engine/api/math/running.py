"""A tensor -> its running sums and products along an axis, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.api.arguments import number_of
from tapeviz.engine.api.exports import export
from tapeviz.engine.api.integers import flag_of, one_of
from tapeviz.engine.ops import running


def _scanned(axis: Any) -> int:
    return one_of(axis, ".Tidx", otherwise="ScanOp: axis must be a scalar, not {shape}")


def _ways(exclusive: Any, reverse: Any) -> dict[str, bool]:
    """How an axis is gone along."""
    return {"exclusive": flag_of(exclusive, "exclusive"), "reverse": flag_of(reverse, "reverse")}


@export("cumsum", "math.cumsum")
def cumsum(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Any:
    """The running sum along an axis; `exclusive` leaves out the number itself, `reverse` runs from the end."""
    return running.cumsum(number_of(x, "cumsum"), axis=_scanned(axis), **_ways(exclusive, reverse))


@export("math.cumprod")
def cumprod(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Any:
    """The running product along an axis; where x is 0, its gradient comes out as 0, as in TensorFlow."""
    return running.cumprod(number_of(x, "cumprod"), axis=_scanned(axis), **_ways(exclusive, reverse))


@export("math.cumulative_logsumexp")
def cumulative_logsumexp(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Any:
    """The logarithm of the running sum of exponentials along an axis."""
    number = number_of(x, "cumulative_logsumexp")
    return running.cumulative_logsumexp(number, axis=_scanned(axis), **_ways(exclusive, reverse))
