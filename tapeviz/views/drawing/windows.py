"""A picture taller than its room, and spans to look at in turn -> the part of it that is in view each time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

AROUND = 110.0
"""How much is shown above and below what is looked at: where a gradient comes from, and where it goes."""


def windows(height: float, room: float, spans: Sequence[tuple[float, float] | None]) -> Iterator[float]:
    """Where the part in view begins: at the lower end first, and moved no further than it takes to see the next span.

    A span is None where nothing is looked at; one that is too long shows its lower end.

    >>> list(windows(1000.0, 300.0, [None, (900.0, 940.0), (500.0, 540.0), (520.0, 560.0)]))
    [700.0, 700.0, 390.0, 390.0]
    >>> list(windows(200.0, 300.0, [None, (0.0, 40.0)]))
    [0.0, 0.0]
    """
    last = max(height - room, 0.0)
    begin = last
    for span in spans:
        if span is not None:
            start, end = span
            begin = max(min(begin, start - AROUND), end + AROUND - room)
        begin = min(max(begin, 0.0), last)
        yield begin
