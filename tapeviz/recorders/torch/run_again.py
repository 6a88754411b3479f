"""A function that runs in the forward pass and again in the backward pass -> whether it gave other numbers then.

So runs what a reentrant checkpoint is given: autograd sees neither the first run, nor what changed before the second.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from tapeviz.recorders.torch.backward.packed import are_alike, some_of
from tapeviz.recorders.torch.stack import unseen
from tapeviz.recorders.torch.values import tensors_in


def compared(function: Callable[..., Any], on_change: Callable[[], None]) -> Callable[..., Any]:
    """The same function; `on_change` is called when a later run gives other numbers than the first."""
    first: list[Any] = []

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        out = function(*args, **kwargs)
        with unseen():
            found = [some_of(each) for each in tensors_in((out,))]
            if not first:
                first.extend(found)
            elif len(found) == len(first) and not all(map(_are_alike, first, found)):
                on_change()
        return out

    return run


def _are_alike(was: Any, is_now: Any) -> bool:
    return was is None or is_now is None or are_alike(was, is_now)
