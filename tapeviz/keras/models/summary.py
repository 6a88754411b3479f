"""A model -> the table of its layers that `summary` prints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from tapeviz.engine import nest
from tapeviz.keras.symbolic import Graph, Operation, shape_of

CHAIN = (("Layer (type)", 33), ("Output Shape", 24), ("Param #", 15))
BRANCHED = (("Layer (type)", 21), ("Output Shape", 19), ("Param #", 12), ("Connected to", 19))
"""The columns and their widths, for layers one after the other, and for others."""


def table(model: Any) -> str:
    """The text of `model.summary()`: a row for each layer, and the totals.

    >>> import tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1, name="out")], name="line")
    >>> y = model(tf.zeros([1, 2]))
    >>> print(table(model).splitlines()[4])
    │ out (Dense)                     │ (1, 1)                 │             3 │
    """
    graph = None if model.is_sequence else model.graph
    columns = BRANCHED if graph is not None and not graph.is_chain else CHAIN
    titles, widths = zip(*columns, strict=True)
    rows = [_row(layer, graph) for layer in (model.layers if graph is None else graph.layers)]
    lines = [f'Model: "{model.name}"', _rule("┏┳┓", "━", widths), *_cells(titles, "┃", widths)]
    lines.append(_rule("┡╇┩", "━", widths))
    for index, row in enumerate(rows):
        lines += [_rule("├┼┤", "─", widths)] * bool(index) + _cells(row[: len(widths)], "│", widths)
    lines.append(_rule("└┴┘", "─", widths))
    return "\n".join([*lines, *_totals(model)])


def _row(layer: Any, graph: Graph | None) -> tuple[str, str, str, str]:
    if isinstance(layer, Operation):
        count = "0"
    else:
        count = f"{layer.count_params():,}" if layer.built or layer.weights else "0 (unbuilt)"
    return f"{layer.name} ({layer.kind})", _shape(layer), count, _connections(layer, graph)


def _shape(layer: Any) -> str:
    """The shape of a layer's output, as far as Keras keeps it: not that of one that was built from the start."""
    if layer.placed is not None:
        found = shape_of(nest.flatten(layer.placed.outputs))
        return str(found[0] if len(found) == 1 else found)
    return "?" if layer.seen_shape is None or type(layer).built else str(layer.seen_shape)


def _connections(layer: Any, graph: Graph | None) -> str:
    """What a layer's calls are made on: layers, with the number of the call and of its output."""
    places = [place for call in (graph.calls if graph else ()) if call.layer is layer for place in call.inputs]
    made = [(place, place.call) for place in places if place.call is not None]
    numbered = (f"{call.layer.name}[{call.number}][{call.place_of(place)}]" for place, call in made)
    return ", ".join(numbered) or "-"


def _cells(texts: Sequence[str], bar: str, widths: Sequence[int]) -> list[str]:
    """The lines of a row; a text that is too long goes on in the next line."""
    columns = [_wrapped(text, width - 2) for text, width in zip(texts, widths, strict=True)]
    lines = []
    for parts in zip_longest(*columns, fillvalue=""):
        padded = (
            f" {part.rjust(width - 2) if place == 2 else part.ljust(width - 2)} "
            for place, (part, width) in enumerate(zip(parts, widths, strict=True))
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
    kept = model.optimizer.variables if model.optimizer is not None and model.optimizer.built else []
    groups = (
        ("Total", [*model.weights, *kept]),
        ("Trainable", model.trainable_weights),
        ("Non-trainable", model.non_trainable_weights),
        *((("Optimizer", kept),) if kept else ()),
    )
    return [
        f" {name} params: {sum(each._value.size for each in weights):,} ({_bytes(weights)})" for name, weights in groups
    ]


def _bytes(weights: list[Any]) -> str:
    size = sum(each._value.nbytes for each in weights)
    step = min(int(math.log(size, 1024)), 3) if size else 0
    return f"{size / 1024**step:.2f} {('B', 'KB', 'MB', 'GB')[step]}"
