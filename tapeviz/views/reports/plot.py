"""EventLog -> matplotlib plots: how gradients flow, and what the tape keeps in memory while it lives."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeviz.events import OpRecorded, Pruned
from tapeviz.events.values import bytes_of
from tapeviz.markup.theme import colour
from tapeviz.replay import Run
from tapeviz.views.reading import Reading, read
from tapeviz.views.reports.figures import new_figure, say
from tapeviz.views.reports.variables_plot import LEAST_ROW, norm_of, plot_variables, rows_of
from tapeviz.views.words import numbers
from tapeviz.views.words.one_line import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, LEAST_HEIGHT, BESIDE_ROWS = 13.0, 3.8, 1.0
"""Of a figure of our own, in inches; titles and labels take what is beside the rows."""
ODD: dict[str, tuple[str, Callable[[float], bool]]] = {
    "x": ("zero", lambda norm: norm == 0.0),
    "+": ("NaN", math.isnan),
    "^": ("infinite", math.isinf),
}
"""Marker -> what it stands for: a norm that has no place on a logarithmic axis."""


class Plots(list[Any]):
    """The Axes that were drawn into; as the last line of a cell a line, above the figure, and no list of Axes."""

    def __repr__(self) -> str:
        return f"<Plots: {'; '.join(each.get_title() for each in self)}>"


def plot(log_or_tape: Any, axes: Sequence[Axes] | None = None) -> Sequence[Axes]:
    """Plot a tape or a log: the norm of each gradient, the norm at each op on the way back, and the memory kept.

    Gradients that are None, NaN or infinite are marked as such, and so are norms of 0, which have no place on a
    logarithmic axis. Of more than 40 variables all are drawn, and those at the ends of the scale named.

    Args:
        log_or_tape: a log, or anything with `.log`.
        axes: three Axes to draw into, in that order; by default those of a new figure, which a notebook shows.

    Returns:
        The Axes.

    Raises:
        ValueError: not three Axes.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import tapeviz as tv
    >>> x = tv.Variable(3.0, name="x")
    >>> with tv.GradientTape() as tape:
    ...     y = x * x
    >>> _ = tape.gradient(y, x)
    >>> plot(tape)
    <Plots: Gradient norm per variable; Gradient norm per op, going back; Memory of the tape>
    """
    reading = read(log_or_tape)
    if axes is None:
        height = max(LEAST_HEIGHT, BESIDE_ROWS + rows_of(reading) * LEAST_ROW / 72 * 1.4)
        axes = new_figure(WIDTH, height).subplots(1, 3)
    drawn = Plots(np.ravel(np.asarray(axes, dtype=object)))
    if len(drawn) != 3:
        raise ValueError(f"plot draws into three Axes, one beside the other; it was given {len(drawn)}.")
    plot_variables(reading, drawn[0])
    plot_ops(reading, drawn[1])
    plot_memory(reading, drawn[2])
    return drawn


def plot_ops(reading: Reading, axes: Axes) -> None:
    """Norm of the gradient that arrives at each op, in the order of the backward pass, on a logarithmic scale."""
    axes.set_title("Gradient norm per op, going back")
    drawn = False
    for run in reading.runs:
        norms = dict(enumerate(_upstream(reading, run), 1))
        points = {step: norm if norm < math.inf else math.nan for step, norm in norms.items() if norm}
        finite = [norm for norm in points.values() if math.isfinite(norm)]
        if not finite:
            continue
        label = f"gradient of {shortened(reading.names.targets(run.targets), 18)}"
        axes.plot([*points], [*points.values()], marker="." if len(points) < 80 else "", label=label)
        for mark, (word, is_so) in ODD.items():
            steps = [step for step, norm in norms.items() if norm is not None and is_so(norm)]
            if steps:
                told = None if word in axes.get_legend_handles_labels()[1] else word
                axes.plot(steps, [min(finite)] * len(steps), mark, color=colour("cut"), label=told)
        drawn = True
    if not drawn:
        say(axes, "no norm is known" if reading.runs else "no gradient was taken")
        return
    axes.set_yscale("log")
    axes.set_xlabel("step of the backward pass")
    axes.set_ylabel("norm of g")
    axes.legend(fontsize="small", frameon=False)


def plot_memory(reading: Reading, axes: Axes) -> None:
    """Bytes that the tapes keep for the backward pass, and bytes they let go, over the positions of the log."""
    from matplotlib.ticker import MultipleLocator

    axes.set_title("Memory of the tape")
    kept, pruned = _memory(reading)
    positions = range(len(kept))
    axes.fill_between(positions, kept, step="post", color=colour("op-line"), alpha=0.35, label="kept")
    axes.step(positions, pruned, where="post", color=colour("cut"), linestyle="--", label="let go, in all")
    axes.yaxis.set_major_locator(MultipleLocator(_tick(max(*kept, *pruned))))
    axes.yaxis.set_major_formatter(lambda value, _: numbers.bytes_text(value))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("position in the log")
    axes.legend(fontsize="small", frameon=False)


def _memory(reading: Reading) -> tuple[list[int], list[int]]:
    """The bytes of the tensors that are saved, and of all that were pruned so far: before, between and after events."""
    rows = reading.log.tensors
    saved: dict[int, int] = {}
    kept, pruned = [0], [0]
    now = gone = 0
    for event in reading.log.events:
        if isinstance(event, OpRecorded):
            for tensor in dict.fromkeys(event.saved):
                now -= saved.get(tensor, 0)
                saved[tensor] = bytes_of(rows[tensor].shape, rows[tensor].dtype)
                now += saved[tensor]
        elif isinstance(event, Pruned):
            gone += event.bytes
            now -= sum(saved.pop(tensor, 0) for tensor in event.tensors)
        kept.append(now)
        pruned.append(gone)
    return [*kept, now], [*pruned, gone]


def _tick(most: int) -> int:
    """A power of two of bytes, of which a handful make up `most`."""
    return 1 << max(most // 4, 1).bit_length() - 1


def _upstream(reading: Reading, run: Run) -> Iterator[float | None]:
    """Per step the norm of what arrives, None where it was not kept."""
    for step in run.steps:
        norms = [norm_of(reading, cotangent) for cotangent in step.upstream if cotangent is not None]
        known = [norm for norm in norms if norm is not None]
        yield sum(norm * norm for norm in known) ** 0.5 if known else None
