"""EventLog -> how the gradient changes from layer to layer: a table, a plot, and the first layer out of range."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from math import log10
from typing import TYPE_CHECKING, Any

from tapeviz.diagnosis.finding import NOTHING_ASKED
from tapeviz.diagnosis.numbers.layers import DECADES, LayeredPath, PathLayer, deepest, has_logarithm, layered_path
from tapeviz.diagnosis.recorded_calls import gradient_calls
from tapeviz.diagnosis.wording.places import words
from tapeviz.errors import LogError
from tapeviz.events import log_of
from tapeviz.events.summary import is_finite
from tapeviz.graph import build
from tapeviz.markup.text import lines, plain
from tapeviz.markup.theme import colour
from tapeviz.phrases import counted
from tapeviz.replay import runs
from tapeviz.views.reports.figures import new_figure, say
from tapeviz.views.words import numbers
from tapeviz.views.words.names import Names
from tapeviz.views.words.one_line import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BAR = 24
"""Characters of the longest bar."""
LEAST_DECADES = 2.0
"""What the bars span at least."""

SHOWN_ENDS = 30
"""Layers that are listed at either end of a deep chain."""


class Depth:
    """The gradient on its way from a target to a source.

    `norms` has one entry per layer, nearest the target first, None where it was not kept; `decay` is the factor per
    layer, in the geometric mean; `first_out` counts the layers until the first that is out of range, None if none is.
    `is_finite` says whether what arrives at the source is.
    """

    def __init__(self, found: LayeredPath, names: Names, is_finite: bool) -> None:
        self.is_finite = is_finite
        self._path = found
        self._shared = _shared([each.calls for each in found.layers if each.calls])
        self._names = names
        self.source = names.tensor(found.source)
        self.target = names.tensor(found.target)
        self.norms = [each.norm for each in found.layers]
        self.decay = found.decay
        self.first_out = None if found.first_out is None else found.first_out + 1

    @property
    def _headline(self) -> str:
        told = f"gradient of {self.target} back to {self.source}: {counted(len(self.norms), 'layer')}"
        if self.decay is not None:
            told += f", times {numbers.rounded(self.decay, 3)} per layer"
        if self.first_out is not None:
            told += f"; out of range from layer {self.first_out} on"
        elif self.is_finite:
            told += "; none is out of range"
        return told if self.is_finite else f"{told}; what arrives is not finite, `tv.diagnose` says why"

    def _rows(self) -> Iterator[tuple[int, PathLayer]]:
        layers = list(enumerate(self._path.layers, 1))
        yield from layers if len(layers) <= 2 * SHOWN_ENDS else layers[:SHOWN_ENDS] + layers[-SHOWN_ENDS:]

    def _lines(self) -> Iterator[str]:
        known = [log10(norm) for norm in self.norms if has_logarithm(norm)]
        most = max(known, default=0.0)
        least = min([most - LEAST_DECADES, *known])  # norms that are nearly the same have bars nearly as long
        before = 0
        for number, layer in self._rows():
            if number != before + 1:
                yield f"  … {counted(number - before - 1, 'layer')} …"
            before = number
            share = (_height(layer.norm, least) - least) / (most - least)
            bar = "█" * max(1, round(BAR * share)) if has_logarithm(layer.norm) else ""
            mark = "  ← out of range" if number == self.first_out else ""
            yield f"  {number:>4}  {_norm(layer):>9}  {bar:<{BAR}}  {self._place(layer)}{mark}"

    def __str__(self) -> str:
        return "\n".join((f"{self._headline}; the bars are logarithmic", *self._lines()))

    __repr__ = __str__

    def _place(self, layer: PathLayer) -> str:
        """The line of a layer, and the calls it is in, as far as they tell it from the others."""
        calls = layer.calls[self._shared :] or layer.calls[-1:]
        return words(layer.site) + (f" in {'.'.join(calls)}" if calls else "")

    def _repr_html_(self) -> str:
        return lines([f"{self._headline}; the bars are logarithmic"]) + plain("\n".join(self._lines()))

    def plot(self, axes: Axes | None = None) -> Axes:
        """Norms over layers on a logarithmic scale, with the range, the decay and the first layer out of range."""
        axes = new_figure(7, 3.8).subplots() if axes is None else axes
        points = [(number, norm) for number, norm in enumerate(self.norms, 1) if has_logarithm(norm)]
        axes.set_title(f"Gradient of {shortened(self.target, 18)} on its way to {shortened(self.source, 18)}")
        axes.set_xlabel("layers back from the target")
        axes.set_ylabel("norm")
        if not points:
            say(axes, "no norm is known")
            return axes
        axes.set_yscale("log")
        axes.plot(*zip(*points, strict=True), marker="." if len(points) < 80 else "", label="norm")
        began = points[0][1]
        for limit in (began * 10**-DECADES, began * 10**DECADES):
            if min(norm for _, norm in points) < limit * 10 and max(norm for _, norm in points) > limit / 10:
                axes.axhline(limit, linestyle=":", color=colour("soft"), label="range")
        if self.decay is not None:
            fitted = [began * self.decay ** (number - points[0][0]) for number, _ in points]
            axes.plot(
                [number for number, _ in points], fitted, "--", label=f"× {numbers.rounded(self.decay, 3)} per layer"
            )
        if self.first_out is not None:
            axes.axvline(self.first_out, color=colour("cut"), label=f"out of range from layer {self.first_out}")
        axes.legend(fontsize="small", frameon=False)
        return axes


def _shared(paths: Sequence[tuple[str, ...]]) -> int:
    """How many calls all layers are in that need no mention: the model that nothing but its layers is in is one."""
    shared = sum(1 for _ in takewhile(lambda names: len(set(names)) == 1, zip(*paths, strict=False)))
    return shared if any(len(path) == shared for path in paths) else max(0, shared - 1)


def _height(norm: float | None, least: float) -> float:
    return log10(norm) if has_logarithm(norm) else least


def _norm(layer: PathLayer) -> str:
    return "not kept" if layer.norm is None else numbers.rounded(layer.norm, 3)


def depth(log_or_tape: Any, target: Any = None, source: Any = None) -> Depth:
    """How the gradient changes from layer to layer on its way back from a target: does it vanish, does it explode?

    A layer is what one line computes at one time: each pass of a loop, each layer of a model.

    Args:
        log_or_tape: a log, or anything with `.log`, with a gradient call in it.
        target: a tensor of the program or its name; by default that of the last gradient call.
        source: likewise; by default the one with the most layers before it.

    Returns:
        The norm per layer, the decay from one to the next and the first layer out of range; `plot()` draws them.

    Raises:
        LogError: no gradient call asked for this.

    >>> import tapeviz as tv
    >>> h = x = tv.Variable(0.5, name="x")
    >>> with tv.GradientTape() as tape:
    ...     for _ in range(12):
    ...         h = tv.sigmoid(h)
    >>> _ = tape.gradient(h, x)
    >>> found = depth(tape)
    >>> len(found.norms), round(found.decay, 2), found.first_out
    (12, 0.23, 8)
    """
    graph = build(log_of(log_or_tape))
    sweeps = runs(graph.log)
    if not sweeps:
        raise LogError(NOTHING_ASKED)
    wanted = [None if each is None else graph.log.id_of(each) for each in (target, source)]
    for call in reversed(list(gradient_calls(graph, sweeps))):
        if wanted[0] in (None, *call.targets) and wanted[1] in (None, *call.arrived):
            sources = call.arrived if wanted[1] is None else [wanted[1]]
            found = deepest(call, sources) if len(sources) != 1 else layered_path(call, sources[0])
            if found is not None:
                gradient = call.gradients[found.source]
                arrived = None if gradient is None else graph.log.value(gradient)
                return Depth(found, Names(graph, sweeps), is_finite(arrived))
    such = "" if target is None and source is None else " of such a target and source"
    raise LogError(f"No gradient{such} arrived in this log: `tv.diagnose` says why.")
