"""What plain tapes keep, from now on."""

from __future__ import annotations

from tapeviz.engine.recording import flown
from tapeviz.events.defaults import Defaults
from tapeviz.validation import whole


def configure(*, values: str | None = None, max_bytes: int | None = None, ring: int | None = None) -> None:
    """Set what plain tapes keep, from now on.

    Args:
        values: "kept" (by reference, within `max_bytes`), "norms" (of each value its norm, least, greatest and mean,
            and how many elements are zero, NaN and infinite, from the end of a backward pass on; of one of at most 64
            bytes the elements), or "none" (shapes and dtypes only).
        max_bytes: the budget of each log for values, in bytes; 64 MiB at first.
        ring: how many ops outside every tape the flight recorder remembers; 4,096 at first.

    Raises:
        ValueError: an unknown `values`, a negative budget, or a ring below 4.
        TypeError: a budget or a ring that is no whole number.

    >>> import tapeviz as tv
    >>> tv.configure(values="kept", max_bytes=64 << 20)
    """
    known = Defaults.checked(values, max_bytes)
    if ring is not None:
        ring = whole(ring, "ring", "a number of ops")
        flown.resize(ring)
        Defaults.ring = ring
    Defaults.values, Defaults.max_bytes = known
