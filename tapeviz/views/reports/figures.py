"""What all plots share: new figures, and words where there is nothing to draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tapeviz.markup.theme import colour
from tapeviz.phrases import not_installed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def new_figure(width: float, height: float) -> Figure:
    """A figure for a caller who gave no Axes, its size in inches; a notebook shows it, since `plt` made it, as light or
    dark as its reader prefers.

    Raises:
        ModuleNotFoundError: matplotlib is not installed.
    """
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError:
        raise ModuleNotFoundError(not_installed("Plots are drawn by", "matplotlib")) from None
    from tapeviz.views.reports.themed_figure import ThemedFigure

    return plt.figure(figsize=(width, height), layout="constrained", FigureClass=ThemedFigure)


def say(axes: Axes, words: str) -> None:
    """Words in place of a plot."""
    axes.text(0.5, 0.5, words, transform=axes.transAxes, ha="center", va="center", color=colour("faint"))
    axes.set_xticks([])
    axes.set_yticks([])
