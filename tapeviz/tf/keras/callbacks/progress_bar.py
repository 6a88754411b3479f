"""The number of steps done, and values to show -> a line that is printed again and again."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from typing import Any

import numpy as np

_SMALL = 1e-3
"""The smallest number that is shown without exponent."""


class Progbar:
    """A progress bar with the number of steps, the time and some values (`tf.keras.utils.Progbar`).

    Args:
        target: the number of steps, or None if it is unknown.
        width: the width of the bar in characters.
        verbose: 1 for a bar that is updated as steps are done; 2 for one line at the end; else nothing is printed.
        interval: the least number of seconds between two updates.
        stateful_metrics: names of values to show as they are; the others are averaged over the steps.
        stateless_metrics: names of values to average over the steps; the others are shown as they are.
        unit_name: the name for a step.

    Raises:
        ValueError: both kinds of names are given.

    >>> bar = Progbar(2, verbose=2)
    >>> bar.update(1, [("loss", 2.0)])
    >>> bar.update(2, [("loss", 4.0)])  # doctest: +ELLIPSIS
    2/2 - 0s - ...s/step - loss: 4.0000
    """

    def __init__(
        self,
        target: int | None,
        width: int = 20,
        verbose: Any = 1,
        interval: float = 0.05,
        stateful_metrics: Iterable[str] | None = None,
        stateless_metrics: Iterable[str] | None = None,
        unit_name: str = "step",
    ) -> None:
        if stateful_metrics is not None and stateless_metrics is not None:
            raise ValueError("Progbar takes stateful_metrics or stateless_metrics: each says which the others are.")
        self.target = target
        self.width = width
        self.verbose = verbose
        self.interval = interval
        self.unit_name = unit_name
        self.stateful_metrics = None if stateless_metrics is not None else set(stateful_metrics or ())
        self.stateless_metrics = None if stateless_metrics is None else set(stateless_metrics)
        self._sums: dict[str, tuple[Any, int]] = {}
        self._seen = 0
        self._start = time.time()
        self._after_first: float | None = None
        self._drawn_at = 0.0
        self._drawn_width = 0

    def update(
        self, current: int, values: Iterable[tuple[str, Any]] | None = None, finalize: bool | None = None
    ) -> None:
        """Show that a number of steps are done, and values of the last one.

        Args:
            current: the number of steps.
            values: pairs of a name and a number, or an array whose mean is shown.
            finalize: whether this is the last update; by default, if the target is reached.
        """
        if finalize is None:
            finalize = self.target is not None and current >= self.target
        for name, value in values or ():
            self._take_in(name, value, current, finalize)
        self._seen = current
        now = time.time()
        each = self._seconds_a_step(current, now)
        if self.verbose == 1:
            if now - self._drawn_at < self.interval and not finalize:
                return
            self._draw(current, now, each, finalize)
        elif self.verbose == 2 and finalize and self.target:
            numbers = self._numbers(signed=False)
            _write(f"{self._counted(current)} - {self._elapsed(now)} -{self._pace(each)}{numbers}\n")
        self._drawn_at = now

    def add(self, n: int, values: Iterable[tuple[str, Any]] | None = None) -> None:
        """Show that further steps are done."""
        self.update(self._seen + n, values)

    def _take_in(self, name: str, value: Any, current: int, last: bool) -> None:
        if self.stateless_metrics is not None:
            averaged = name in self.stateless_metrics
        else:
            averaged = name not in (self.stateful_metrics or ())
        if averaged and not last:
            steps = max(current - self._seen, 1)
            total, count = self._sums.get(name, (0, 0))
            self._sums[name] = (total + value * steps, count + steps)
        else:
            self._sums[name] = (value, 1)

    def _draw(self, current: int, now: float, each: float, last: bool) -> None:
        """Print the bar over the one printed before."""
        plain = styled = f"{current:7d}/Unknown"
        if self.target:
            counted = self._counted(current)
            done = int(self.width * (current / self.target))
            plain = f"{counted} {'━' * max(done, self.width)}"
            full = f"\x1b[32m{'━' * done}\x1b[0m" if done > 0 else ""
            styled = f"\x1b[1m{counted}\x1b[0m {full}\x1b[37m{'━' * (self.width - done)}\x1b[0m"
        clock = _left(each * (self.target - current)) if self.target and not last else self._elapsed(now)
        rest = f"{self._pace(each)}{self._numbers()}"
        width = len(f"{plain} {clock}{rest}")
        padding = " " * max(self._drawn_width - width, 0)
        back = "\b" * self._drawn_width + "\r" if _redraws() else "\n"
        _write(f"{back}{styled} \x1b[1m{clock}\x1b[0m{rest}{padding}" + "\n" * last)
        self._drawn_width = width

    def _counted(self, current: int) -> str:
        return f"{current:{len(str(self.target))}d}/{self.target}"

    def _elapsed(self, now: float) -> str:
        return f"{now - self._start:.0f}s"

    def _numbers(self, signed: bool = True) -> str:
        return "".join(f" - {name}: {_shown(total, count, signed)}" for name, (total, count) in self._sums.items())

    def _pace(self, seconds: float) -> str:
        """The time of a step in a suitable unit."""
        if seconds >= 1 or seconds == 0:
            return f" {seconds:.0f}s/{self.unit_name}"
        if seconds >= 1e-3:
            return f" {seconds * 1e3:.0f}ms/{self.unit_name}"
        return f" {seconds * 1e6:.0f}us/{self.unit_name}"

    def _seconds_a_step(self, current: int, now: float) -> float:
        """The mean time of a step, without the first one, which takes longer, if there are others."""
        if not current:
            return 0.0
        if self._after_first is not None and current > 1:
            found = (now - self._after_first) / (current - 1)
        else:
            found = (now - self._start) / current
        if current == 1:
            self._after_first = now
        return found


def _shown(total: Any, count: int, signed: bool) -> str:
    """A number with four decimals, and in scientific notation if it is small."""
    number = float(np.mean(total)) / count
    return f"{number:.4f}" if (abs(number) if signed else number) > _SMALL else f"{number:.4e}"


def _left(seconds: float) -> str:
    if seconds > 3600:
        return f"{int(seconds // 3600)}:{int(seconds % 3600 // 60):02d}:{int(seconds % 60):02d}"
    return f"{int(seconds // 60)}:{int(seconds % 60):02d}" if seconds > 60 else f"{int(seconds)}s"


def _redraws() -> bool:
    """Whether a line can be overwritten; Keras assumes that it can on every POSIX system."""
    return os.name == "posix" or sys.stdout.isatty() or "ipykernel" in sys.modules or "PYCHARM_HOSTED" in os.environ


def _write(text: str) -> None:
    try:
        sys.stdout.write(text)
    except UnicodeEncodeError:
        sys.stdout.write(text.encode("ascii", errors="ignore").decode("ascii"))
    sys.stdout.flush()
