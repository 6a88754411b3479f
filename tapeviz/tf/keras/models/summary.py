"""A model -> the table of its layers that `summary` prints."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from operator import attrgetter
from typing import Any

from tapeviz.engine import nest
from tapeviz.tf.keras.symbolic import LayerCall, LayerGraph, Operation, shape_of

CHAIN = {"Layer (type)": 0.45, "Output Shape": 0.8, "Param #": 1.0}
BRANCHED = {"Layer (type)": 0.3, "Output Shape": 0.56, "Param #": 0.74, "Connected to": 1.0}
"""The columns and where they end, as fractions of a line: for a chain of layers, and for a graph with branches."""
LINE = 76
SCREEN = 80
"""The width of a table by default; lines are cut off at `SCREEN`."""
ALIGNED: dict[str, Callable[[str, int], str]] = {"Param #": str.rjust, "Trainable": str.center}
"""How the columns are aligned that are not aligned left."""


def table(
    model: Any,
    line_length: int | None = None,
    positions: Sequence[float] | None = None,
    nested: bool = False,
    trainable: bool = False,
    layer_range: Sequence[str] | None = None,
) -> str:
    """The text of `model.summary()`: a row for each layer, and the totals.

    Args:
        model: the model.
        line_length: the width of the table.
        positions: where the columns end, as fractions of a line, without the column of `trainable`.
        nested: whether to show the layers of models inside the model.
        trainable: whether to add a column that says which layers are trainable.
        layer_range: the names, or patterns, of the first and last layer to show.

    Raises:
        ValueError: a column is too narrow, or the range is not a pair of names of layers.

    >>> import tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1, name="out")], name="line")
    >>> y = model(tf.zeros([1, 2]))
    >>> print(table(model).splitlines()[4])
    │ out (Dense)                     │ (1, 1)                 │             3 │
    """
    graph = None if model._is_sequence_ else model._graph_
    ends = CHAIN if graph is None or graph.is_chain else BRANCHED
    titles = [*ends, *(["Trainable"] if trainable else [])]
    places = list(ends.values()) if positions is None else list(positions)
    places = [*(0.9 * each for each in places), 1.0] if trainable else places
    if len(places) < len(titles):
        raise IndexError(f"list index out of range: {len(places)} `positions` for the columns {titles}.")
    columns = dict(zip(titles, _widths(places, line_length or LINE, len(titles)), strict=True))
    layers = _shown(model.layers if graph is None else graph.with_masks[1], layer_range)
    rows = [_row(layer, graph, level) for layer, level in _layers(layers, nested)]
    widths = list(columns.values())
    lines = [_rule("┏┳┓", "━", widths), *_cells({title: title for title in titles}, "┃", columns, bottom=True)]
    lines.append(_rule("┡╇┩", "━", widths))
    for index, row in enumerate(rows):
        lines += [_rule("├┼┤", "─", widths)] * bool(index) + _cells(row, "│", columns)
    lines.append(_rule("└┴┘", "─", widths))
    return "\n".join([f'Model: "{model.name}"', *(line[:SCREEN] for line in lines), *_totals(model)])


def _widths(ends: Sequence[float], line: int, count: int) -> list[int]:
    """The widths of the first `count` columns, adjusted to fill the line as `rich` does, which Keras prints with.

    >>> _widths(list(CHAIN.values()), LINE, 3)
    [33, 24, 15]
    """
    stops = [int(end * line) for end in ends]
    widths = [stop - before for before, stop in zip([0, *stops], stops, strict=False)]
    if min(widths) < 4:
        raise ValueError("Insufficient console width to print summary.")
    widths = [width + 2 for width in widths[:count]]  # a space on both sides
    excess = sum(widths) - (line - count - 1)
    if excess < 0:
        return _widened(widths, -excess)
    for index, width in enumerate(widths):
        share = min(width, round(excess / (len(widths) - index)))
        widths[index] -= share
        excess -= share
    return widths


def _widened(widths: list[int], rest: int) -> list[int]:
    """The widths, with the rest of a line distributed in proportion to them; the first shares are rounded up.

    >>> _widened([24, 25, 17], 6)
    [27, 27, 18]
    """
    found = []
    for index, width in enumerate(widths):
        share = -(-rest * width // sum(widths[index:]))
        found.append(width + share)
        rest -= share
    return found


def _shown(layers: Sequence[Any], layer_range: Sequence[str] | None) -> Sequence[Any]:
    """The layers from the first to the last one that matches a name, or pattern, of the range."""
    if layer_range is None:
        return layers
    if len(layer_range) != 2:
        raise ValueError(
            f"layer_range must be a list or tuple of length 2. Received: layer_range = {layer_range} of length "
            f"{len(layer_range)}"
        )
    if not all(isinstance(each, str) for each in layer_range):
        raise ValueError(f"layer_range should contain string type only. Received: {layer_range}")
    places = [[at for at, each in enumerate(layers) if re.match(name, each.name)] for name in layer_range]
    if not all(places):
        raise ValueError(f"Passed layer_names do not match the layer names in the model. Received: {layer_range}")
    first, last = places
    if first[0] > last[-1]:
        first, last = last, first
    return layers[first[0] : last[-1] + 1]


def _layers(layers: Iterable[Any], nested: bool, level: int = 0) -> Iterator[tuple[Any, int]]:
    """The layers, each with its depth: how many models it is inside of."""
    for layer in layers:
        yield layer, level
        if nested:
            yield from _layers(getattr(layer, "layers", ()), nested, level + 1)


def _row(layer: Any, graph: LayerGraph | None, level: int) -> dict[str, str]:
    """The texts of a layer's row, by column."""
    own: Sequence[Any] = [] if isinstance(layer, Operation) else layer.weights
    if isinstance(layer, Operation):
        count = "0"
    else:
        count = f"{layer.count_params():,}" if layer.built or own else "0 (unbuilt)"
    return {
        "Layer (type)": f"{'   ' * level}{'└ ' * bool(level)}{layer.name} ({layer._kind_})",
        "Output Shape": _shape(layer, graph),
        "Param #": count,
        "Connected to": _connections(layer, graph),
        "Trainable": ("Y" if layer.trainable else "N") if own else "-",
    }


def _shape(layer: Any, graph: LayerGraph | None) -> str:
    """The shape of the output of a layer's last call in a graph, or its first one anywhere, if Keras knows it.

    Keras does not know it if the layer needs no building, or has its own `call` and no `compute_output_shape`.
    """
    calls = _calls(layer, graph)
    placed = calls[-1] if calls else layer._placed_
    if placed is not None:
        found = [f"({', '.join(map(str, each))})" for each in shape_of(nest.flatten(placed.outputs))]
        return found[0] if len(found) == 1 else f"[{', '.join(found)}]"
    if getattr(layer, "_graph_", None) is not None:
        return str(layer.output_shape)
    unknown = layer._seen_shape_ is None or type(layer).built or not layer._computes_shape_
    return "?" if unknown else str(layer._seen_shape_)


def _calls(layer: Any, graph: LayerGraph | None) -> list[LayerCall]:
    """The calls of a layer in a graph, in the order in which they were made."""
    calls = [call for call in (graph.with_masks[0] if graph else ()) if call.layer is layer]
    return sorted(calls, key=attrgetter("number"))


def _connections(layer: Any, graph: LayerGraph | None) -> str:
    """The inputs of a layer's calls: names of layers, with the indices of their call and output."""
    places = [place for call in _calls(layer, graph) for place in call.sources]
    made = [(place, place.call) for place in places if place.call is not None]
    numbered = (f"{call.layer.name}[{call.number}][{call.place_of(place)}]" for place, call in made)
    return ", ".join(numbered) or "-"


def _cells(texts: dict[str, str], bar: str, columns: dict[str, int], bottom: bool = False) -> list[str]:
    """The lines of a row. Long texts are wrapped, and shorter ones stand at the top, or with `bottom` at the bottom."""
    wrapped = [_wrapped(texts[title], width - 2) for title, width in columns.items()]
    if bottom:
        wrapped = [[""] * (max(map(len, wrapped)) - len(each)) + each for each in wrapped]
    lines = []
    for parts in zip_longest(*wrapped, fillvalue=""):
        padded = (
            f" {ALIGNED.get(title, str.ljust)(part, width - 2)} "
            for part, (title, width) in zip(parts, columns.items(), strict=True)
        )
        lines.append(f"{bar}{bar.join(padded)}{bar}")
    return lines


def _wrapped(text: str, room: int) -> list[str]:
    """The text wrapped at spaces; longer words are cut off.

    >>> _wrapped("batch_normalization (BatchNormalization)", 20)
    ['batch_normalization', '(BatchNormalization)']
    """
    lines: list[str] = []
    for word in text.split(" "):
        if lines and len(lines[-1]) + 1 + len(word) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return [line if len(line) <= room else f"{line[: room - 1]}…" for line in lines]


def _rule(corners: str, line: str, widths: Sequence[int]) -> str:
    left, middle, right = tuple(corners)
    return left + middle.join(line * width for width in widths) + right


def _totals(model: Any) -> list[str]:
    """The lines with the numbers of parameters; those of a built optimizer are counted, too."""
    kept = model.optimizer.variables if model.compiled and model.optimizer is not None and model.optimizer.built else []
    groups = (
        ("Total", [*model.weights, *kept]),
        ("Trainable", model.trainable_weights),
        ("Non-trainable", model.non_trainable_weights),
        *((("Optimizer", kept),) if kept else ()),
    )
    return [
        f" {name} params: {sum(each._value.size for each in weights):,} ({_bytes(weights)})" for name, weights in groups
    ]


def _bytes(weights: Iterable[Any]) -> str:
    size = sum(each._value.nbytes for each in weights)
    step = min(int(math.log(size, 1024)), 3) if size else 0
    return f"{size / 1024**step:.2f} {('B', 'KB', 'MB', 'GB')[step]}"
