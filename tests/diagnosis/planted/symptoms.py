"""The gradients of a healthy and of a faulty run -> what the framework shows of a fault.

"none", "nan" (or infinite), "zero" (or some ten million times smaller) or "wrong": the worst of all sources, by their
places in what a program leaves as `gradients`; "error" where it raised; "same".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

WORST_FIRST = ("error", "none", "nan", "zero", "wrong", "same")
VANISHED, DIFFERENT = 1e-7, 1e-3

Numbers = dict[str, "np.ndarray[Any, Any] | None"]


def numbers(gradients: Any) -> Numbers:
    """Arrays by their places; None where there is none."""
    return dict(_arrays("", gradients))


def _arrays(place: str, gradients: Any) -> Iterator[tuple[str, np.ndarray[Any, Any] | None]]:
    if isinstance(gradients, Mapping):
        for key in gradients:
            yield from _arrays(f"{place}[{key!r}]", gradients[key])
    elif isinstance(gradients, (list, tuple)):
        for index, each in enumerate(gradients):
            yield from _arrays(f"{place}[{index}]", each)
    else:
        yield place, None if gradients is None else _array(gradients)


def _array(gradient: Any) -> np.ndarray[Any, Any]:
    if hasattr(gradient, "detach"):
        gradient = gradient.detach().to_dense()
    elif hasattr(gradient, "dense_shape"):
        dense = np.zeros([int(each) for each in gradient.dense_shape])
        np.add.at(dense, np.asarray(gradient.indices), np.asarray(gradient.values))
        gradient = dense
    return np.array(gradient, dtype=np.float64)


def shown(healthy: Numbers, faulty: Numbers) -> str:
    """The worst that any source shows."""
    states = {_state(gradient, faulty.get(place)) for place, gradient in healthy.items()}
    return next(each for each in WORST_FIRST if each in states or each == "same")


def _state(healthy: np.ndarray[Any, Any] | None, faulty: np.ndarray[Any, Any] | None) -> str:
    if faulty is None or healthy is None:
        return "same" if healthy is faulty else "none"
    if not np.isfinite(faulty).all():
        return "nan"
    scale = np.abs(healthy).max(initial=0.0)
    if np.abs(faulty).max(initial=0.0) <= VANISHED * scale:
        return "zero" if scale else "same"
    return (
        "same"
        if healthy.shape == faulty.shape and np.allclose(healthy, faulty, DIFFERENT, DIFFERENT * scale)
        else "wrong"
    )


def unhealthy(gradients: Numbers) -> list[str]:
    """The places in a healthy program's gradients that are not as they should be."""
    return [
        place or "gradient"
        for place, each in gradients.items()
        if each is None or not np.isfinite(each).all() or not each.any()
    ]
