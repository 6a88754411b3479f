"""Columns of a history -> a matplotlib plot: a line per variable, a mark where each trouble began."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tapeviz.live.column import Column
from tapeviz.live.measure import NOT_KEPT, UNKEPT
from tapeviz.live.trouble import Trouble
from tapeviz.markup.theme import colour
from tapeviz.phrases import listed
from tapeviz.views.reports.figures import new_figure, say
from tapeviz.views.words.one_line import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMED = 10
"""Lines with a colour and a name; the others are grey. Variables with trouble come first."""
LINE = 0.08
"""The height of a line of words, of the plot's."""
DESCRIBED = 6
"""How many troubles have words; the others have their mark only."""


def plot(columns: Sequence[Column], troubles: Sequence[Trouble], axes: Axes | None) -> Axes:
    """Gradient norms over steps, on a logarithmic axis."""
    axes = new_figure(9, 4).subplots() if axes is None else axes
    axes.set_title("Gradient norm per variable")
    axes.set_xlabel("step")
    if not any(len(column.steps) for column in columns):
        say(axes, "no step yet")
        return axes
    if all(set(column.states) <= {NOT_KEPT} for column in columns):
        say(axes, UNKEPT)
        return axes
    troubled = {each.variable for each in troubles}
    order = sorted(columns, key=lambda column: column.name not in troubled)
    for index, column in enumerate(order):
        _line(axes, column, named=index < NAMED)
    axes.set_yscale("log")
    _show_all_steps(axes, columns)
    by_step = _by_step(troubles)
    _make_room(axes, min(len(by_step), DESCRIBED))
    for index, (step, there) in enumerate(by_step.items()):
        _mark(axes, step, there, columns, index)
    _legend(axes, hidden=max(len(order) - NAMED, 0))
    return axes


def _line(axes: Axes, column: Column, named: bool) -> None:
    """What is 0 or no number has no place on a logarithmic axis: the line has a gap there."""
    norms = np.array(column.gradients)
    norms[~((norms > 0) & np.isfinite(norms))] = np.nan
    look = {"label": shortened(column.name, 24)} if named else {"color": colour("hairline"), "zorder": 1}
    marker = "." if len(norms) <= 40 else ""
    axes.plot(np.array(column.steps), norms, linewidth=1.4, marker=marker, **look)


def _show_all_steps(axes: Axes, columns: Sequence[Column]) -> None:
    """Also those at which no gradient can be drawn."""
    steps = [step for column in columns if len(column.steps) for step in (column.steps[0], column.steps[-1])]
    margin = 0.03 * max(max(steps) - min(steps), 1)
    axes.set_xlim(min(steps) - margin, max(steps) + margin)


def _make_room(axes: Axes, lines: int) -> None:
    """Room above the lines of the plot for words, which would hide them."""
    low, high = axes.get_ylim()
    share = LINE * lines + (0.04 if lines else 0.0)
    axes.set_ylim(low, high * (high / low) ** (share / (1 - share)))


def _by_step(troubles: Sequence[Trouble]) -> dict[int, list[Trouble]]:
    found: dict[int, list[Trouble]] = {}
    for trouble in troubles:
        found.setdefault(trouble.step, []).append(trouble)
    return found


def _mark(axes: Axes, step: int, troubles: Sequence[Trouble], columns: Sequence[Column], index: int) -> None:
    """A line across the plot, and words beside it, each a little lower than the one before."""
    axes.axvline(step, color=colour("cut"), linewidth=1.0, linestyle="--", zorder=1.5)
    if index >= DESCRIBED:
        return
    last = max(column.steps[-1] for column in columns if len(column.steps))
    late = step > last / 2
    axes.annotate(
        f"step {step}: {_words(troubles)}",
        (step, 0.97 - LINE * index),
        xycoords=("data", "axes fraction"),
        xytext=(-4 if late else 4, 0),
        textcoords="offset points",
        ha="right" if late else "left",
        va="top",
        fontsize="small",
        color=colour("cut"),
        bbox={"facecolor": axes.get_facecolor(), "edgecolor": "none", "pad": 1},
    )


def _words(troubles: Sequence[Trouble]) -> str:
    """`w1 NaN, b1 and 2 more NaN` as `NaN in w1, b1 and 2 more`."""
    by_kind: dict[str, list[str]] = {}
    for each in troubles:
        by_kind.setdefault(each.what, []).append(shortened(each.variable, 18))
    return "; ".join(f"{what} in {listed(names, most=3)}" for what, names in by_kind.items())


def _legend(axes: Axes, hidden: int) -> None:
    title = f"and {hidden} more, in grey" if hidden else None
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small", frameon=False, title=title)
