"""A model -> the table of its layers that `summary` prints."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

from tapeviz.engine import nest
from tapeviz.keras.symbolic import Graph, Operation, shape_of

CHAIN = {"Layer (type)": 33, "Output Shape": 24, "Param #": 15}
BRANCHED = {"Layer (type)": 21, "Output Shape": 19, "Param #": 12, "Connected to": 19}
"""The columns and their widths, for layers one after the other, and for others."""
CHAIN_WITH_TRAINABLE = {"Layer (type)": 29, "Output Shape": 23, "Param #": 12, "Trainable": 7}
BRANCHED_WITH_TRAINABLE = {"Layer (type)": 19, "Output Shape": 17, "Param #": 11, "Connected to": 16, "Trainable": 7}
ALIGNED: dict[str, Callable[[str, int], str]] = {"Param #": str.rjust, "Trainable": str.center}
"""How the texts of a column stand that are not at its left."""


def table(model: Any, nested: bool = False, trainable: bool = False) -> str:
    """The text of `model.summary()`: a row for each layer, and the totals.

    Args:
        model: the model.
        nested: layers of models in it have rows, too.
        trainable: a column says which layers are trained.

    >>> import tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1, name="out")], name="line")
    >>> y = model(tf.zeros([1, 2]))
    >>> print(table(model).splitlines()[4])
    │ out (Dense)                     │ (1, 1)                 │             3 │
    """
    graph = None if model.is_sequence else model.graph
    if graph is None or graph.is_chain:
        columns = CHAIN_WITH_TRAINABLE if trainable else CHAIN
    else:
        columns = BRANCHED_WITH_TRAINABLE if trainable else BRANCHED
    widths = list(columns.values())
    layers = model.layers if graph is None else graph.layers
    rows = [_row(layer, graph, level) for layer, level in _layers(layers, nested)]
    titles = {title: title for title in columns}
    lines = [f'Model: "{model.name}"', _rule("┏┳┓", "━", widths), *_cells(titles, "┃", columns)]
    lines.append(_rule("┡╇┩", "━", widths))
    for index, row in enumerate(rows):
        lines += [_rule("├┼┤", "─", widths)] * bool(index) + _cells(row, "│", columns)
    lines.append(_rule("└┴┘", "─", widths))
    return "\n".join([*lines, *_totals(model)])


def _layers(layers: Iterable[Any], nested: bool, level: int = 0) -> Iterator[tuple[Any, int]]:
    """The layers, each with the number of models that it is in."""
    for layer in layers:
        yield layer, level
        if nested:
            yield from _layers(getattr(layer, "layers", ()), nested, level + 1)


def _row(layer: Any, graph: Graph | None, level: int) -> dict[str, str]:
    """What the columns say of a layer."""
    own: Sequence[Any] = [] if isinstance(layer, Operation) else layer.weights
    if isinstance(layer, Operation):
        count = "0"
    else:
        count = f"{layer.count_params():,}" if layer.built or own else "0 (unbuilt)"
    return {
        "Layer (type)": f"{'   ' * level}{'└ ' * bool(level)}{layer.name} ({layer.kind})",
        "Output Shape": _shape(layer),
        "Param #": count,
        "Connected to": _connections(layer, graph),
        "Trainable": ("Y" if layer.trainable else "N") if own else "-",
    }


def _shape(layer: Any) -> str:
    """The shape of a layer's output, as far as Keras knows it.

    That is not the one of a layer that was built from the start, nor of one that computes no shape with its own `call`.
    """
    if layer.placed is not None:
        found = shape_of(nest.flatten(layer.placed.outputs))
        return str(found[0] if len(found) == 1 else found)
    if getattr(layer, "graph", None) is not None:
        return str(layer.output_shape)
    unknown = layer.seen_shape is None or type(layer).built or not layer.computes_shape
    return "?" if unknown else str(layer.seen_shape)


def _connections(layer: Any, graph: Graph | None) -> str:
    """What a layer's calls are made on: layers, with the number of the call and of its output."""
    places = [place for call in (graph.calls if graph else ()) if call.layer is layer for place in call.inputs]
    made = [(place, place.call) for place in places if place.call is not None]
    numbered = (f"{call.layer.name}[{call.number}][{call.place_of(place)}]" for place, call in made)
    return ", ".join(numbered) or "-"


def _cells(texts: dict[str, str], bar: str, columns: dict[str, int]) -> list[str]:
    """The lines of a row; a text that is too long goes on in the next line."""
    wrapped = [_wrapped(texts[title], width - 2) for title, width in columns.items()]
    lines = []
    for parts in zip_longest(*wrapped, fillvalue=""):
        padded = (
            f" {ALIGNED.get(title, str.ljust)(part, width - 2)} "
            for part, (title, width) in zip(parts, columns.items(), strict=True)
        )
        lines.append(f"{bar}{bar.join(padded)}{bar}")
    return lines


def _wrapped(text: str, room: int) -> list[str]:
    """The text in lines, broken at spaces; a word that is still too long is cut off.

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
    """How many numbers there are; those of an optimizer that knows its variables count, too."""
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
